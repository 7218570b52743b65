import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GrantScope, PermissionStore } from '../core/hooks/permission-spec.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';

/** Of a file of grants: a longer one is not read, and nothing is added to one that is as long. */
const MAX_GRANTS_BYTES = 1 << 20;
/** Of the record: what comes behind is not kept. */
const MAX_RECORD_BYTES = 8 << 20;

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants;

/**
 * Opens the record of a run's permissions: `permissions.jsonl` and `grants.jsonl` in its folder, and `grants.jsonl` in the state folder for what holds in
 * all runs of the project. Grants are read now and never again: what an agent writes there while the run goes on changes nothing in it.
 *
 * @param runFolder absolute: `<state folder>/runs/<id>`
 */
export function openPermissionStore(runFolder: string): PermissionStore {
  const record = join(runFolder, 'permissions.jsonl');
  const files: Readonly<Record<GrantScope, string>> = {
    run: join(runFolder, 'grants.jsonl'),
    project: join(dirname(dirname(runFolder)), 'grants.jsonl'),
  };
  const granted = new Set(Object.values(files).flatMap(readKeys));
  return {
    isGranted: (key) => granted.has(key),
    grant: (scope, grant) => {
      granted.add(grant.key);
      append(files[scope], grant, MAX_GRANTS_BYTES, 'synced');
    },
    note: (entry) => append(record, entry, MAX_RECORD_BYTES, 'plain'),
  };
}

function readKeys(path: string): readonly string[] {
  return withFile(path, O_RDONLY, (file) => {
    const facts = fstatSync(file);
    if (!facts.isFile() || facts.size > MAX_GRANTS_BYTES) return [];
    return readFileSync(file, 'utf8').split('\n').flatMap(readKey);
  });
}

function readKey(line: string): readonly string[] {
  const grant = parseJson(line);
  if (!isJsonObject(grant) || grant['v'] !== 1) return [];
  const { key } = grant;
  return typeof key === 'string' && /^[0-9a-f]{64}$/.test(key) ? [key] : [];
}

/** A record that cannot be written stops no agent: what is granted still counts until the run ends, and is asked about again after that. */
function append(path: string, line: object, maxBytes: number, how: 'synced' | 'plain'): void {
  withFile(path, O_WRONLY | O_APPEND | O_CREAT, (file) => {
    const facts = fstatSync(file);
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    if (!facts.isFile() || facts.size + bytes.length > maxBytes) return [];
    writeSync(file, bytes);
    if (how === 'synced') fdatasyncSync(file);
    return [];
  });
}

/** Follows no link and waits for no pipe: either may have been put there. Nothing where the file cannot be used. */
function withFile(path: string, flags: number, use: (file: number) => readonly string[]): readonly string[] {
  const file = tryOr(() => openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600), null);
  if (file === null) return [];
  try {
    return use(file);
  } catch {
    return [];
  } finally {
    closeSync(file);
  }
}
