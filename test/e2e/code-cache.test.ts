import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ralph, withFolder } from './ralph.ts';

const TEAM = 'hats:\n  worker:\n    triggers: [task.start, task.resume]\n';
const SAYS = { code: 0, stdout: 'ralph.yml: valid (hats: worker)\n', stderr: '' };

function listCaches(folder: string): readonly string[] {
  const caches = join(folder, 'cache', 'ralph', 'code');
  return existsSync(caches) ? readdirSync(caches).map((name) => join(caches, name)) : [];
}

test('validate keeps its compiled code in the cache of the user, readable by nobody else, and says the same with and without it', async () => {
  await withFolder({ 'ralph.yml': TEAM }, async (folder) => {
    const env = { XDG_CACHE_HOME: join(folder, 'cache') };
    expect(await ralph(folder, ['validate'], env)).toMatchObject(SAYS);
    const [cache = ''] = listCaches(folder);
    const { mtimeMs, mode } = statSync(cache);
    expect(mode & 0o777).toBe(0o600);
    expect(await ralph(folder, ['validate'], env)).toMatchObject(SAYS);
    expect(listCaches(folder)).toEqual([cache]);
    expect(statSync(cache).mtimeMs).toBe(mtimeMs);
  });
});

test('a cache of another build, a torn one and one that others may write are not run, but made anew', async () => {
  await withFolder({ 'ralph.yml': TEAM }, async (folder) => {
    const env = { XDG_CACHE_HOME: join(folder, 'cache') };
    await ralph(folder, ['validate'], env);
    const [cache = ''] = listCaches(folder);
    const whole = readFileSync(cache);
    const zeroed = Buffer.from(whole).fill(0, whole.length - 4096);
    for (const wrong of [Buffer.from('0.0.0 other\nxxxx'), whole.subarray(0, 5000), Buffer.alloc(0), zeroed]) {
      writeFileSync(cache, wrong);
      expect(await ralph(folder, ['validate'], env)).toMatchObject(SAYS);
      expect(statSync(cache).size).toBeGreaterThan(50_000);
    }
    chmodSync(cache, 0o666);
    expect(await ralph(folder, ['validate'], env)).toMatchObject(SAYS);
    expect(statSync(cache).mode & 0o777).toBe(0o600);
  });
});

test('without a place for a cache everything works', async () => {
  await withFolder({ 'ralph.yml': TEAM, file: '' }, async (folder) => {
    expect(await ralph(folder, ['validate'], { XDG_CACHE_HOME: join(folder, 'file') })).toMatchObject(SAYS);
    expect(await ralph(folder, ['validate'], { XDG_CACHE_HOME: '', HOME: '' })).toMatchObject(SAYS);
    expect(await ralph(folder, ['validate'], { XDG_CACHE_HOME: 'relative' })).toMatchObject(SAYS);
    expect(existsSync(join(folder, 'relative'))).toBe(false);
    expect(await ralph(folder, ['explain', 'event-orphan'], { XDG_CACHE_HOME: join(folder, 'file') })).toMatchObject({ code: 0 });
  });
});
