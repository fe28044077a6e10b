# A hall in a container. docs/container.md says how it is run, and what to mount.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.exports.json ./
COPY scripts scripts
COPY src src
RUN npm run build

# What agents need besides: Node with npx, and git. Without node's symbols, and without the parts of git that only
# servers and mail have a use for, among them all that wants Perl: together they are as large as all the rest.
FROM node:24-bookworm-slim AS parts
RUN apt-get update \
  && apt-get install -y --no-install-recommends binutils git
WORKDIR /parts/usr/local
RUN mkdir -p bin lib/node_modules \
  && strip -o bin/node /usr/local/bin/node \
  && cp -a /usr/local/bin/npm /usr/local/bin/npx bin \
  && cp -a /usr/local/lib/node_modules/npm lib/node_modules \
  && rm -rf lib/node_modules/npm/docs lib/node_modules/npm/man
WORKDIR /parts/usr
RUN mkdir -p bin lib share/git-core \
  && cp -a /usr/bin/git bin \
  && cp -a /usr/lib/git-core lib \
  && cp -a /usr/share/git-core/templates share/git-core \
  && cd lib/git-core \
  && ln -sf ../../bin/git git \
  && rm -f scalar git-daemon git-shell git-http-backend git-http-fetch git-http-push git-imap-send \
  && rm -f $(grep -lI -m 1 '^#!.*perl' *)

FROM debian:bookworm-slim
# tini is process 1: agents leave children behind when they end, and somebody must collect those. It is part of the
# image, so that no one has to think of `docker run --init`. The libraries are git's.
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    ca-certificates libcurl3-gnutls libexpat1 libpcre2-8-0 libstdc++6 tini zlib1g \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
  && groupadd --gid 1000 node \
  && useradd --uid 1000 --gid node --create-home --shell /bin/bash node
COPY --from=parts /parts /
WORKDIR /opt/hall
COPY --from=build /build/dist dist
COPY config config
COPY package.json LICENSE ./
# The hall and its agents run as `node` (uid 1000). Its state is its own alone (0700), and outlives the container.
# Nothing else is written to but /home/node and /tmp, so that the rest can be read-only.
RUN ln -s /opt/hall/dist/cli/main.js /usr/local/bin/hall \
  && install -D -m 0644 config/hall.container.yml /etc/hall/hall.yml \
  && install -d -o node -g node -m 0700 /var/lib/hall \
  && git --version && npm --version && hall --version
ENV HALL_CONFIG=/etc/hall/hall.yml
USER node
WORKDIR /home/node
VOLUME ["/var/lib/hall", "/home/node"]
# Over the UNIX socket. It asks the hall alone, and starts no agent.
HEALTHCHECK --interval=60s --timeout=10s --start-period=30s --retries=3 CMD ["hall", "ping", "--json"]
ENTRYPOINT ["tini", "--"]
CMD ["hall", "serve", "--json"]
