import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refuse } from '../core/values/result.ts';
import { createTemporaryFolder } from './fixtures.ts';
import { acquireLock, type LockSettings, readLock } from './lock.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';

const OWNER = {
  pid: 100,
  processStart: 'boot-1:5',
  host: 'here',
  pidNamespace: 'pid:[1]',
  runId: 'r1',
  startedAt: 1,
  command: 'ralph run',
};
const OTHER = { ...OWNER, pid: 200, runId: 'r2' };

/** Settings of a process that believes in the processes of `alive` only. */
function toSettings(path: string, owner = OWNER, alive: readonly number[] = [100, 200]): LockSettings {
  return { fs, path, owner, isAlive: (pid, start) => alive.includes(pid) && start === 'boot-1:5', now: Date.now };
}

function createPath(): string {
  return join(createTemporaryFolder(), 'lock');
}

function take(settings: LockSettings) {
  const outcome = acquireLock(settings);
  if (!outcome.ok) throw new Error(`held: ${JSON.stringify(outcome.refused)}`);
  return outcome.value;
}

function listFiles(path: string): string[] {
  return readdirSync(dirname(path)).sort();
}

describe('a lock', () => {
  it('is granted to one at a time, and its file says to whom', () => {
    const path = createPath();
    const lock = take(toSettings(path));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(OWNER);
    expect(acquireLock(toSettings(path, OTHER))).toEqual(refuse({ owner: OWNER, state: 'alive' }));
    expect(readLock({ ...toSettings(path), host: 'here', pidNamespace: null })).toEqual({ owner: OWNER, state: 'alive' });
    lock.release();
    expect(listFiles(path)).toEqual([]);
    expect(readLock({ ...toSettings(path), host: 'here', pidNamespace: null })).toBeNull();
    take(toSettings(path, OTHER));
  });

  it('is not granted twice to the same process', () => {
    const path = createPath();
    take(toSettings(path));
    expect(acquireLock(toSettings(path))).toMatchObject({ refused: { state: 'alive' } });
  });

  it('removes only its own file when it is released, however often', () => {
    const path = createPath();
    const first = take(toSettings(path));
    first.release();
    take(toSettings(path, OTHER));
    first.release();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(OTHER);
    const replaced = take({ ...toSettings(path, OWNER, []), owner: OWNER });
    writeFileSync(path, JSON.stringify({ ...OTHER, nonce: 'not mine' }));
    replaced.release();
    expect(existsSync(path)).toBe(true);
  });

  it.each([
    ['is dead', [200]],
    ['is another process with the same number', [100, 200]],
  ])('is taken over when its owner %s, and nothing stays behind', (_, alive) => {
    const path = createPath();
    take(toSettings(path, { ...OWNER, processStart: alive.includes(100) ? 'boot-0:5' : OWNER.processStart }));
    expect(readLock({ ...toSettings(path, OTHER, alive), host: 'here', pidNamespace: null })).toBeNull();
    const lock = take(toSettings(path, OTHER, alive));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(OTHER);
    expect(listFiles(path)).toEqual(['lock']);
    lock.release();
    expect(listFiles(path)).toEqual([]);
  });

  it('of another machine is never taken over: nobody here can see whether its owner lives', () => {
    const path = createPath();
    take(toSettings(path, { ...OWNER, host: 'elsewhere' }));
    expect(acquireLock(toSettings(path, OTHER, []))).toMatchObject({ refused: { state: 'other-host', owner: { host: 'elsewhere' } } });
  });

  it('of another process namespace is never taken over, and is held for whoever looks: its process cannot be seen from here', () => {
    const path = createPath();
    take(toSettings(path, { ...OWNER, pidNamespace: 'pid:[1]' }));
    const elsewhere = { ...OTHER, pidNamespace: 'pid:[2]' };
    expect(acquireLock(toSettings(path, elsewhere, []))).toMatchObject({
      refused: { state: 'other-namespace', owner: { pid: OWNER.pid } },
    });
    expect(readLock({ ...toSettings(path, elsewhere, []), ...elsewhere })).toMatchObject({ state: 'other-namespace' });
    take(toSettings(path, { ...OTHER, pidNamespace: 'pid:[1]' }, []));
  });

  it.each([
    [{ host: 'elsewhere' }, 'other-host'],
    [{ pidNamespace: 'pid:[2]' }, 'other-namespace'],
  ])('of a process elsewhere (%j) is held, free or unknown, as the pipe of its run says', (place, unknown) => {
    const path = createPath();
    take(toSettings(path, { ...OWNER, ...place }));
    const withPipe = (isHeld: boolean | null) => ({ ...toSettings(path, OTHER, []), isHeld: () => isHeld });
    expect(acquireLock(withPipe(true))).toMatchObject({ refused: { state: 'alive-elsewhere' } });
    expect(acquireLock(withPipe(null))).toMatchObject({ refused: { state: unknown } });
    expect(readLock({ ...withPipe(false), host: 'here', pidNamespace: 'pid:[1]' })).toBeNull();
    take(withPipe(false));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(OTHER);
  });

  it.each(['', '{"pid":12', '{"pid":-4,"host":"here"}', 'null', '\0\0\0\0'])(
    'whose file holds %j is held while it may be being written, then stale',
    (text) => {
      const path = createPath();
      writeFileSync(path, text);
      expect(acquireLock(toSettings(path))).toEqual(refuse({ owner: null, state: 'starting' }));
      const modifiedAt = statSync(path).mtimeMs;
      const later = { ...toSettings(path), now: () => modifiedAt + 2001 };
      expect(readLock({ ...later, host: 'here', pidNamespace: null })).toBeNull();
      expect(readFileSync(path, 'utf8')).toBe(text);
      take(later);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(OWNER);
    },
  );

  it('whose torn file comes from the future is stale too', () => {
    const path = createPath();
    writeFileSync(path, '');
    utimesSync(path, 4_000_000_000, 4_000_000_000);
    take(toSettings(path));
  });

  it('is taken over also when somebody died over taking it over', () => {
    const path = createPath();
    const dead = JSON.stringify({ ...OWNER, nonce: 'n' });
    writeFileSync(path, dead);
    writeFileSync(`${path}.recovery`, dead);
    writeFileSync(`${path}.recovery.tmp`, 'half');
    writeFileSync(`${path}.tmp`, 'half');
    take(toSettings(path, OTHER, [200]));
    expect(listFiles(path)).toEqual(['lock']);
  });

  it('is held by whoever takes it over at this moment', () => {
    const path = createPath();
    writeFileSync(path, JSON.stringify({ ...OWNER, pid: 300, nonce: 'n' }));
    writeFileSync(`${path}.recovery`, JSON.stringify({ ...OTHER, nonce: 'm' }));
    expect(acquireLock(toSettings(path))).toEqual(refuse({ owner: OTHER, state: 'alive' }));
  });

  it('is left to whoever took it after its owner gave it back and ended, just when he was looked for', () => {
    const path = createPath();
    const first = take(toSettings(path));
    let looks = 0;
    const isAlive = (pid: number) => {
      if (pid !== OWNER.pid) return true;
      looks += 1;
      if (looks === 2) {
        first.release();
        take(toSettings(path, OTHER));
      }
      return false;
    };
    expect(acquireLock({ ...toSettings(path, { ...OWNER, pid: 300 }), isAlive })).toEqual(refuse({ owner: OTHER, state: 'alive' }));
    expect(looks).toBe(2);
    expect(listFiles(path)).toEqual(['lock']);
  });

  it('is not believed by an owner that was so slow to write it that another took it over', () => {
    const path = createPath();
    let time = Date.now();
    const slow = {
      ...fs,
      write: (handle: number, bytes: Uint8Array) => {
        if (time < Date.now() + 5000) {
          time += 10_000;
          take({ ...toSettings(path, OTHER), now: () => time });
        }
        return fs.write(handle, bytes);
      },
    };
    expect(acquireLock({ ...toSettings(path), fs: slow, now: () => time })).toEqual(refuse({ owner: OTHER, state: 'alive' }));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(OTHER);
  });

  it('is granted to a slow owner when nobody else came', () => {
    const path = createPath();
    let time = 0;
    take({ ...toSettings(path), now: () => (time += 5000) });
    expect(listFiles(path)).toEqual(['lock']);
  });

  it('that cannot be written leaves no file behind', () => {
    const path = createPath();
    const full = {
      ...fs,
      write: () => {
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      },
    };
    expect(() => acquireLock({ ...toSettings(path), fs: full })).toThrow('ENOSPC');
    expect(listFiles(path)).toEqual([]);
  });

  it('in a folder that is missing is an error of the system', () => {
    expect(() => acquireLock(toSettings(join(createTemporaryFolder(), 'none', 'lock')))).toThrow('ENOENT');
  });
});
