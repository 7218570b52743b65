/**
 * Starts a command where the network is its own, but for a few ports of loopback that lead out: each is a socket in a file, which is the same here and outside.
 * Says first what can be reached from here, and which process the command is; ends with it.
 *
 *   unshare -n node in-own-network.mjs '{"ways": [{"port": 1, "socket": "/path"}], "tries": [{"host": "127.0.0.1", "port": 1}], "command": ["node", "x.js"]}'
 */
import { execFileSync, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

const TRY_MS = 1_000;

const {
  ways,
  tries,
  command: [program, ...args],
} = JSON.parse(process.argv[2] ?? '');

/** @param {{ port: number, socket: string }} way */
async function open({ port, socket }) {
  const server = createServer((inside) => {
    const outside = connect(socket);
    inside.on('error', () => outside.destroy()).on('close', () => outside.destroy());
    outside.on('error', () => inside.destroy()).on('close', () => inside.destroy());
    inside.pipe(outside).pipe(inside);
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', () => resolve(undefined)));
  server.unref();
}

/** @param {{ host: string, port: number }} place @returns {Promise<string[]>} its name, if it can be reached */
function attempt({ host, port }) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TRY_MS });
    const end = (/** @type {string[]} */ found) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('connect', () => end([`${host}:${port}`]));
    socket.once('error', () => end([]));
    socket.once('timeout', () => end([]));
  });
}

execFileSync('/usr/sbin/ip', ['link', 'set', 'lo', 'up']);
await Promise.all(ways.map(open));
const reached = (await Promise.all(tries.map(attempt))).flat();
const child = spawn(program, args, { stdio: 'inherit' });
const told = { pid: child.pid, network: readlinkSync('/proc/self/ns/net'), interfaces: Object.keys(networkInterfaces()), reached };
process.stdout.write(`${JSON.stringify(told)}\n`);
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));
