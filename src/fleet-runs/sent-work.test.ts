import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { HookSpec } from '../core/hooks/hook-spec.ts';
import { toTooLarge } from '../fleet/too-large.ts';
import type { Blobs } from '../ports/fleet.ts';
import { toFileChanges, withScripts } from './sent-work.ts';

const toHook = (path: string, sha256 = 'ab'): HookSpec => ({
  ...{ name: 'guard', event: 'PreToolUse', matcher: '*', timeoutMs: 1000, isFailClosed: false, place: 'ralph.yml:1' },
  handler: { kind: 'command', argv: ['sh', path, 'all'], file: { path, sha256 } },
});

test('scripts of hooks are in the folder of the worker where those of the run are on another machine', () => {
  const own = fileURLToPath(import.meta.url);
  const placed = (path: string, folders: readonly string[], sha256?: string): string =>
    JSON.stringify(withScripts({ hooks: { a: [toHook(path, sha256)] } }, folders, '/work/place').hooks.a[0]?.handler);
  expect(placed('/home/of/nobody/h/a.sh', ['/home/of/nobody'])).toBe(JSON.stringify(toHook('/work/place/h/a.sh').handler));
  // On the same machine the run's own is there, with what lies beside it and does not travel.
  const folder = own.slice(0, own.indexOf('/src/fleet-runs/'));
  const hash = createHash('sha256').update(readFileSync(own)).digest('hex');
  expect(placed(own, [folder], hash)).toBe(JSON.stringify(toHook(own, hash).handler));
  // Another checkout at the same path is not it.
  expect(placed(own, [folder], 'ab')).toBe(JSON.stringify(toHook(`/work/place${own.slice(folder.length)}`).handler));
  expect(placed('/opt/a.sh', ['/home/of/nobody'])).toBe(JSON.stringify(toHook('/opt/a.sh').handler));
});

test('files that were changed are fetched up to a limit for all of them, and none that is larger comes into memory', async () => {
  const mb = 1 << 20;
  const asked: (number | undefined)[] = [];
  const blobs: Blobs = {
    put: async () => '',
    get: async (hash, { maxBytes = Number.POSITIVE_INFINITY } = {}) => {
      asked.push(maxBytes / mb);
      const size = Number(hash) * mb;
      if (size > maxBytes) throw toTooLarge('A file', maxBytes);
      return new Uint8Array(size);
    },
  };
  const toChange = (size: number) => ({ path: `f${size}`, mode: '100644', isNew: true, blob: String(size) });
  expect([...(await toFileChanges(blobs, [toChange(3), toChange(2)])).keys()]).toEqual(['f3', 'f2']);
  await expect(toFileChanges(blobs, [toChange(1), toChange(300)])).rejects.toMatchObject({ code: 'fleet-too-large' });
  expect(asked).toEqual([256, 253, 256, 255]);
});
