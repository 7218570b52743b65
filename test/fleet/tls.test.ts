/** Servers with certificates of an authority of one's own, without any, and logins in files. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ralph } from '../e2e/ralph.ts';
import { startServer, type TestServer } from './nats.ts';

let folder: string;
const servers: TestServer[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-tls-'));
  openssl('req', '-x509', '-nodes', '-days', '2', '-subj', '/CN=Authority', '-keyout', path('ca.key'), '-out', path('ca.pem'));
});
afterAll(async () => {
  for (const server of servers) await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string): string => join(folder, name);

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

function openssl(command: string, ...words: string[]): void {
  execFileSync('openssl', [command, ...(command === 'req' ? EC : []), ...words], { stdio: 'ignore' });
}

/** A server with a certificate for that name, made by the authority. */
async function startWithCertificate(name: string, of: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  openssl('req', '-nodes', '-subj', '/CN=x', '-keyout', path(`${name}.key`), '-out', path(`${name}.csr`));
  writeFileSync(path(`${name}.ext`), `subjectAltName=${of}`);
  const files = ['-in', path(`${name}.csr`), '-out', path(`${name}.pem`), '-extfile', path(`${name}.ext`)];
  openssl('x509', '-req', '-days', '2', '-CA', path('ca.pem'), '-CAkey', path('ca.key'), '-CAcreateserial', ...files);
  return startOne({ tls: { cert_file: path(`${name}.pem`), key_file: path(`${name}.key`) }, ...more });
}

async function startOne(settings: Readonly<Record<string, unknown>>): Promise<string> {
  const server = await startServer(settings);
  servers.push(server);
  return new URL(server.url).port;
}

const ask = (address: string, env: Readonly<Record<string, string>> = {}) => ralph(folder, ['fleet'], { RALPH_FLEET: address, ...env });

describe('an address with tls://', () => {
  test('is refused where the server offers no TLS, before a login is sent', async () => {
    const heard: string[] = [];
    const plain: Server = createServer((socket) => {
      socket.write('INFO {"server_id":"x","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576,"auth_required":true}\r\n');
      socket.on('data', (data) => heard.push(data.toString()));
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as { readonly port: number };
    const refused = await ask(`tls://me:secret@127.0.0.1:${port}`);
    plain.close();
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('offers no TLS')]);
    expect(heard.join('')).toBe('');
    const real = await startOne({});
    expect((await ask(`tls://127.0.0.1:${real}`)).stderr).toContain('offers no TLS');
    expect((await ask(`nats://127.0.0.1:${real}`)).code).toBe(0);
  });

  test('goes to a server whose authority NODE_EXTRA_CA_CERTS names, and to no other', async () => {
    const trusted = { NODE_EXTRA_CA_CERTS: path('ca.pem') };
    const named = await startWithCertificate('named', 'DNS:localhost');
    const numbered = await startWithCertificate('numbered', 'IP:127.0.0.1');
    expect((await ask(`tls://localhost:${named}`, trusted)).code).toBe(0);
    expect((await ask(`tls://127.0.0.1:${numbered}`, trusted)).code).toBe(0);
    const unknown = await ask(`tls://localhost:${named}`);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('is not to be trusted')]);
    expect(unknown.stderr).toContain('NODE_EXTRA_CA_CERTS');
    // A certificate for localhost is none for an address in numbers, nor the other way round.
    expect((await ask(`tls://127.0.0.1:${named}`, trusted)).stderr).toContain('is not to be trusted');
    expect((await ask(`tls://localhost:${numbered}`, trusted)).stderr).toContain('is not to be trusted');
    const looked = await ralph(folder, ['fleet', 'up', '--nats', `tls://localhost:${named}`], trusted);
    expect(looked.stdout).toContain('✓ what goes over the network is encrypted');
    expect((await ralph(folder, ['fleet', 'up', '--nats', `tls://localhost:${named}`])).stdout).toContain('✗ The certificate');
  });
});

test('a password is read from a file where the address has a name alone', async () => {
  const port = await startOne({ authorization: { user: 'me', password: 's/cret' } });
  writeFileSync(path('password'), 's/cret\n');
  writeFileSync(path('wrong'), 'secret\n');
  const address = `nats://me@127.0.0.1:${port}`;
  expect((await ask(address, { RALPH_FLEET_PASSWORD_FILE: path('password') })).code).toBe(0);
  expect((await ask(address, { RALPH_FLEET_PASSWORD_FILE: path('wrong') })).stderr).toContain('does not let you in');
  // Whoever asks: the server knows them, and no run.
  for (const words of [['tell', 'x'], ['stop'], ['events']])
    expect(
      (await ralph(folder, [...words, '--fleet'], { RALPH_FLEET: address, RALPH_FLEET_PASSWORD_FILE: path('password') })).stderr,
    ).toMatch(/The fleet (?:keeps no run|knows no run)/);
  const missing = await ask(address, { RALPH_FLEET_PASSWORD_FILE: path('missing') });
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('ENOENT')]);
});
