import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNVERIFIED_BACKENDS } from '../../core/backends/backend-spec.ts';
import { detectBackends } from '../clis.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-detect-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const env = (extra: Record<string, string> = {}) => ({ PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder, ...extra });

function install(name: string, body: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const file = join(folder, 'bin', name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
}

describe('detectBackends', () => {
  it('tells path and version of what is there, and how to install what is not', async () => {
    install('claude', 'echo "2.1.330 (Claude Code)"');
    const [claude, codex] = await detectBackends({ env: env(), priority: ['claude', 'codex'], isRoot: false });
    expect(claude).toMatchObject({
      type: 'claude',
      path: join(folder, 'bin', 'claude'),
      version: '2.1.330',
      verified: true,
      looksSignedIn: false,
    });
    expect(claude?.advice.join()).toContain('/login');
    expect(codex).toMatchObject({ type: 'codex', path: null, version: null });
    expect(codex?.advice).toEqual(['Not installed: npm install -g @openai/codex.']);
  });

  it('takes a key or a credentials file as a hint of being signed in, wherever the CLI keeps it', async () => {
    install('codex', 'echo codex-cli 0.169.0');
    const looks = async (extra: Record<string, string>): Promise<boolean | null | undefined> =>
      (await detectBackends({ env: env(extra), priority: ['codex'] }))[0]?.looksSignedIn;
    expect(await looks({})).toBe(false);
    expect(await looks({ OPENAI_API_KEY: '' })).toBe(false);
    expect(await looks({ OPENAI_API_KEY: 'sk-x' })).toBe(true);
    mkdirSync(join(folder, 'moved'));
    writeFileSync(join(folder, 'moved', 'auth.json'), '{}');
    expect(await looks({ CODEX_HOME: join(folder, 'moved') })).toBe(true);
  });

  it('reads what the configuration gives an agent', async () => {
    install('claude', 'echo 2.1.330');
    const own = { ANTHROPIC_API_KEY: 'sk-x' };
    const [claude] = await detectBackends({ env: env(), priority: ['claude'], envOf: (type) => (type === 'claude' ? own : {}) });
    expect(claude?.looksSignedIn).toBe(true);
  });

  it('cannot tell where settings of the CLI may name a key, or a keychain may hold it', async () => {
    for (const name of ['codex', 'copilot']) install(name, 'echo 1.0.0');
    const look = async (type: 'codex' | 'copilot') => (await detectBackends({ env: env(), priority: [type] }))[0];
    expect((await look('codex'))?.looksSignedIn).toBe(false);
    mkdirSync(join(folder, '.codex'));
    writeFileSync(join(folder, '.codex', 'config.toml'), 'model_provider = "mine"\n');
    for (const type of ['codex', 'copilot'] as const) {
      const found = await look(type);
      expect(found?.looksSignedIn).toBeNull();
      expect(found?.advice.join()).not.toContain('No sign of a login');
    }
  });

  it('asks for a version once, and again when the program has changed', async () => {
    install('pi', `echo x >> ${join(folder, 'asked')}; echo 0.73.1`);
    const look = async (): Promise<string | null | undefined> => (await detectBackends({ env: env(), priority: ['pi'] }))[0]?.version;
    expect(await look()).toBe('0.73.1');
    expect(await look()).toBe('0.73.1');
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('x\n');
    expect(existsSync(join(folder, '.cache', 'ralph', 'backends.json'))).toBe(true);
    install('pi', 'echo "pi version 1.0.0-beta.2 "');
    expect(await look()).toBe('1.0.0-beta.2');
  });

  it('is not stopped by a damaged or unwritable cache', async () => {
    install('pi', 'echo 0.73.1');
    writeFileSync(join(folder, 'cache'), '{"programs": {"a": 7');
    expect((await detectBackends({ env: env(), priority: ['pi'], cacheFile: join(folder, 'cache') }))[0]?.version).toBe('0.73.1');
    expect((await detectBackends({ env: env(), priority: ['pi'], cacheFile: join(folder, 'cache', 'below') }))[0]?.version).toBe('0.73.1');
  });

  it('waits for all at once, and for none too long', async () => {
    for (const name of ['claude', 'codex', 'gemini']) install(name, 'sleep 30');
    const started = performance.now();
    const statuses = await detectBackends({ env: env(), priority: ['claude', 'codex', 'gemini'], timeoutMs: 300, cacheFile: null });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(statuses.map(({ version }) => version)).toEqual([null, null, null]);
    expect(statuses[0]?.advice.join()).toContain('--version');
  });

  it('has the CLIs that were never tried in one list with everybody who names them', async () => {
    const found = await detectBackends({ env: env() });
    expect(found.filter((agent) => !agent.verified).map((agent) => agent.type)).toEqual(UNVERIFIED_BACKENDS);
  });

  it('says of claude as root what is set for it, and of untried CLIs that they are', async () => {
    install('claude', 'echo 2.1.330');
    install('amp', 'echo 0.0.1');
    const [claude, amp] = await detectBackends({ env: env(), priority: ['claude', 'amp'], isRoot: true, cacheFile: null });
    expect(claude?.advice.join()).toContain('IS_SANDBOX=1');
    expect(amp?.advice.join()).toContain('documentation');
  });
});
