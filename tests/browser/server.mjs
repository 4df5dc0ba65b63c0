// A server of the service that can be killed and started again on the same directory and port.

import { spawn } from "node:child_process";
import { createServer } from "node:net";

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

export class Server {
  constructor(binary, dir, words, port) {
    this.binary = binary;
    this.words = ["serve", "--dir", dir, "--listen", `127.0.0.1:${port}`, ...words];
    this.base = `http://127.0.0.1:${port}`;
    this.said = "";
  }

  static async start(binary, dir, ...words) {
    const server = new Server(binary, dir, words, await freePort());
    await server.start();
    return server;
  }

  async start() {
    const child = spawn(this.binary, this.words, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.on("data", (text) => { this.said += text; });
    this.child = child;
    // a script that fails leaves no server behind
    process.once("exit", () => child.kill("SIGKILL"));
    this.ended = new Promise((resolve) => child.once("exit", resolve));
    const until = Date.now() + 60_000;
    while (Date.now() < until && child.exitCode === null) {
      const ready = await fetch(`${this.base}/readyz`).then((reply) => reply.ok, () => false);
      if (ready) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the server did not start: ${this.said}`);
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  async call(method, path, body) {
    const reply = await fetch(this.base + path, { method, headers: { "content-type": "application/json" }, body: body && JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  }
}
