import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createBuiltInTools, openTools } from '../../src/agent/index.ts';
import type { Json } from '../../src/core/values/json.ts';
import { refuse } from '../../src/core/values/result.ts';
import type { TurnRequest } from '../../src/ports/backend.ts';

/** What stands in the file that no tool may reach. */
export const OUTSIDE_TEXT = 'text-from-outside-7f3a';
/** The name of a file that only who looks outside can know. */
export const OUTSIDE_NAME = 'only-outside-41c9';
/** The value of `ANTHROPIC_API_KEY` in the environment of the turn. */
export const API_KEY = 'zk9+Q/really-Secret$value';

/** What a tool answered. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** A workspace with a repository and a state folder, and beside it what must stay as it is. */
export interface AttackPlace {
  readonly workspace: string;
  readonly outside: string;
  /** Where long outputs are kept. */
  readonly outputs: string;
  readonly write: (path: string, content: string | Buffer) => string;
  readonly link: (path: string, target: string) => void;
  /** As the loop does it: profile, schema, tool, redaction, cap. */
  readonly call: (tool: string, args: Json) => Promise<Answer>;
  /** Everything that no file tool may change: outside, `.git`, the journal. */
  readonly photograph: () => ReadonlyMap<string, string>;
}

const folders: string[] = [];

export function removeAttackPlaces(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function createAttackPlace(): AttackPlace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-attacks-')));
  folders.push(base);
  const [workspace, outside] = [join(base, 'work'), join(base, 'outside')];
  const state = join(workspace, '.ralph');
  const turn = join(state, 'runs/one/turns/1');
  const write: AttackPlace['write'] = (path, content) => {
    const target = join(workspace, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    return target;
  };
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, 'secret.txt'), `${OUTSIDE_TEXT}\n`);
  writeFileSync(join(outside, OUTSIDE_NAME), '');
  write('.git/config', '[core]\n');
  write('.git/HEAD', 'ref: refs/heads/main\n');
  write('.git/hooks/sample', '#!/bin/sh\n');
  write('.ralph/runs/one/journal.jsonl', '{}\n');
  write('file.txt', 'inside\n');
  mkdirSync(turn, { recursive: true });
  const box = openTools(
    {
      tools: createBuiltInTools(['build.done']),
      policy: null,
      workspace,
      stateDir: state,
      scratchpad: join(workspace, '.agent/scratchpad.md'),
      quality: {},
      publishes: [],
      publish: async () => refuse({ reason: 'nobody listens', allowed: [] }),
      search: null,
      allowedPrivateHosts: [],
      close: async () => undefined,
    },
    toRequest(workspace, turn),
    new AbortController().signal,
  );
  const protectedPlaces = [outside, join(workspace, '.git'), join(state, 'runs/one/journal.jsonl')];
  return {
    workspace,
    outside,
    outputs: join(turn, 'outputs'),
    write,
    link: (path, target) => {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      symlinkSync(target, join(workspace, path));
    },
    call: (tool, args) => box.call(tool, args),
    photograph: () => new Map(protectedPlaces.flatMap((place) => photograph(place))),
  };
}

function toRequest(workspace: string, turn: string): TurnRequest {
  return {
    turn: { iteration: 1, attempt: 1 } as unknown as TurnRequest['turn'],
    prompt: '',
    promptFile: join(turn, 'prompt.md'),
    cwd: workspace,
    env: { PATH: '', ANTHROPIC_API_KEY: API_KEY },
    marker: 'attack',
    timeoutMs: 0,
    idleTimeoutMs: 0,
    logs: { stdoutPath: join(turn, 'stdout.log'), stderrPath: join(turn, 'stderr.log'), capBytes: 1_000_000 },
  };
}

function photograph(path: string): readonly (readonly [string, string])[] {
  const stats = lstatSync(path);
  if (stats.isDirectory()) return [[path, `folder ${stats.mode}`], ...readdirSync(path).flatMap((name) => photograph(join(path, name)))];
  if (stats.isSymbolicLink()) return [[path, `link ${readlinkSync(path)}`]];
  return [[path, `${stats.mode} ${stats.nlink} ${stats.mtimeMs} ${stats.isFile() ? readFileSync(path, 'latin1') : 'special'}`]];
}
