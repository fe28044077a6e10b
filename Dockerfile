# A hall in a container. docs/container.md says how it is run, and what to mount.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.exports.json ./
COPY scripts scripts
COPY src src
RUN npm run build

FROM node:24-bookworm-slim
# tini is process 1: agents leave children behind when they end, and somebody must collect those. It is part of the
# image, so that no one has to think of `docker run --init`. git is what agents need most.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/hall
COPY --from=build /build/dist dist
COPY config config
COPY package.json LICENSE ./
# The hall and its agents run as `node` (uid 1000). Its state is its own alone (0700), and outlives the container.
RUN ln -s /opt/hall/dist/cli/main.js /usr/local/bin/hall \
  && install -D -m 0644 config/hall.container.yml /etc/hall/hall.yml \
  && install -d -o node -g node -m 0700 /var/lib/hall
ENV HALL_CONFIG=/etc/hall/hall.yml
USER node
WORKDIR /home/node
VOLUME ["/var/lib/hall"]
# Over the UNIX socket. It asks the hall alone, and starts no agent.
HEALTHCHECK --interval=60s --timeout=10s --start-period=30s --retries=3 CMD ["hall", "ping", "--json"]
ENTRYPOINT ["tini", "--"]
CMD ["hall", "serve", "--json"]
