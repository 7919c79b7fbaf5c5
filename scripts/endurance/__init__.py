"""Long runs over started services: clients that write down what they were answered, faults, and checks of the record."""
