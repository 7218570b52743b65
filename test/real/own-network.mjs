/**
 * Networks of their own for commands, with nothing in them but loopback, and a few ports of it that lead to servers out here. The ways out are sockets in files, so
 * there is no link, bridge or rule of a firewall to make and to take away again: the network is gone with its last process.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findMissing } from '../debian-program.mjs';

const INSIDE = fileURLToPath(new URL('in-own-network.mjs', import.meta.url));
/** Where its package puts it. */
const IP = '/usr/sbin/ip';
/** An address that is nobody's. */
const ELSEWHERE = { host: '192.0.2.1', port: 80 };

/**
 * @typedef {{ words: string[] } | { flaw: string }} OwnNetwork words: before a command; flaw: why it gets none, in one line
 */

/**
 * How a command gets a network of its own here: as root, or as the root of its own account.
 *
 * @returns {OwnNetwork}
 */
export function findOwnNetwork() {
  if (process.platform !== 'linux') return { flaw: `network namespaces are for Linux, this is ${process.platform}` };
  const missing = findMissing('real', 'iproute2', IP);
  if (missing !== null) return { flaw: `iproute2: ${missing}` };
  const how = process.getuid?.() === 0 ? ['-n'] : ['-r', '-n'];
  const { status, stderr, error } = spawnSync('unshare', [...how, IP, 'link', 'set', 'lo', 'up'], { encoding: 'utf8' });
  return status === 0 ? { words: ['unshare', ...how] } : { flaw: error?.message ?? `unshare: ${stderr.trim().split('\n').at(-1)}` };
}

/**
 * Ways out of one network.
 *
 * @param {string} folder for the sockets; no other network uses it
 * @param {Array<{ port: number, to: number }>} ways port in there, and of the loopback out here to which it leads
 * @returns {Promise<{ ways: Array<{ port: number, socket: string }>, close: () => void }>}
 */
export async function openWays(folder, ways) {
  const opened = await Promise.all(
    ways.map(async ({ port, to }) => {
      const socket = join(folder, String(port));
      const server = createServer((inside) => {
        const target = connect(to, '127.0.0.1');
        inside.on('error', () => target.destroy()).on('close', () => target.destroy());
        target.on('error', () => inside.destroy()).on('close', () => inside.destroy());
        inside.pipe(target).pipe(inside);
      });
      await new Promise((resolve, reject) => server.once('error', reject).listen(socket, () => resolve(undefined)));
      return { server, way: { port, socket } };
    }),
  );
  return { ways: opened.map(({ way }) => way), close: () => void opened.map(({ server }) => server.close()) };
}

/**
 * The words before a command that put it there.
 *
 * @param {string[]} words of `findOwnNetwork`
 * @param {Array<{ port: number, socket: string }>} ways
 * @param {Array<{ host: string, port: number }>} tries what the command says about first whether it can be reached
 * @param {string[]} command
 */
export function toOwnNetwork(words, ways, tries, command) {
  return [...words, process.execPath, INSIDE, JSON.stringify({ ways, tries, command })];
}

/**
 * Something that listens at every address of this machine.
 *
 * @returns {Promise<{ places: Array<{ host: string, port: number }>, close: () => void }>} where it can be found from here, and what is not on this machine
 */
export async function listenEverywhere() {
  const server = createServer((socket) => void socket.destroy());
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '0.0.0.0', () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const hosts = Object.values(networkInterfaces()).flatMap((list) => list?.filter(({ family }) => family === 'IPv4') ?? []);
  return { places: [...hosts.map(({ address: host }) => ({ host, port })), ELSEWHERE], close: () => void server.close() };
}

/** Processes that are still in a network. @param {string} network as `/proc/<pid>/ns/net` says it */
export function listInNetwork(network) {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/ns/net`) === network;
    } catch {
      return false;
    }
  });
}

/** A port of loopback on which nobody listens. */
export async function findFreePort() {
  const server = createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
