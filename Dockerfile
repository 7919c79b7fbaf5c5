# One image with all programs of Gatehouse; the command of a container selects one.
# See docs/operations/containers.md; docker-compose.yml runs it.

ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
# The libraries of scripts/setup --run; the toolchain's own are there.
RUN apt-get update -q \
  && apt-get install -y -q --no-install-recommends \
    pkg-config libprotobuf-c-dev libnghttp2-dev zlib1g-dev libssl-dev libsqlite3-dev libsodium-dev libcrypt-dev \
    libcurl4-openssl-dev libidn2-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# Tests too, and what they link to: SwiftPM refuses a package whose targets have no folder.
COPY Package.swift ./
COPY Sources Sources
COPY fuzz fuzz
COPY Tests Tests
# What the programs say they are, by --version and in metrics: the repository is not in here.
ARG REVISION=
# The Swift runtime is linked in, so that the image below needs none; without symbols the programs
# are a third of the size. They are one program with links of their names, because most of it is what
# they share. The build folder is kept between builds, outside of every layer.
RUN --mount=type=cache,target=/source/.build \
  set -eu; mkdir -p /programs; export BUILD_REVISION=$REVISION; \
  swift build -c release --static-swift-stdlib -Xlinker -s --product gatehouse-all; \
  cp .build/release/gatehouse-all /programs/; \
  for program in auth-service tenancy-service entitlement-service gatehouse; do \
    ln -s gatehouse-all "/programs/$program"; \
  done

FROM ${DEBIAN_IMAGE}
# With the fixes of libnghttp2 that scripts/setup asks for too. The program openssl makes the front door's certificate.
RUN apt-get update -q \
  && apt-get install -y -q --no-install-recommends \
    ca-certificates libcrypt1 libcurl4 libidn2-0 libnghttp2-14 libpq5 libprotobuf-c1 libsodium23 libsqlite3-0 libssl3 zlib1g libstdc++6 \
    openssl \
  && rm -rf /var/lib/apt/lists/* \
  && dpkg --compare-versions "$(dpkg-query -W -f='${Version}' libnghttp2-14)" ge '1.52.0-1+deb12u3'
# Fixed numbers, because files of the host (keys, backups) belong to them. A new named volume takes
# owner and mode from the folder it covers.
RUN groupadd --gid 10001 gatehouse \
  && useradd --uid 10001 --gid 10001 --home-dir /var/lib/gatehouse-cli --no-create-home \
    --shell /usr/sbin/nologin gatehouse \
  && install -d -o 10001 -g 10001 -m 700 /var/lib/gatehouse-cli /var/lib/gatehouse
COPY --from=build /programs/ /usr/local/bin/
USER 10001:10001
WORKDIR /var/lib/gatehouse
# What the services drain on.
STOPSIGNAL SIGTERM
CMD ["gatehouse", "--help"]
