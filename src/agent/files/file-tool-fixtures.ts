import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { refuse } from '../../core/values/result.ts';
import type { AnyTool, Tool, ToolContext, ToolResult } from '../tool/tool.ts';
import { createJail, type JailSettings } from './jail.ts';

const folders: string[] = [];

/** Removes the folders of all places that were made. */
export function removePlaces(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A workspace for tests, and beside it what no tool may reach. */
export interface TestPlace {
  /** Holds the workspace and `outside`; real path. */
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  readonly context: ToolContext;
  /** Writes a file in the workspace, with its folders; its absolute path. */
  readonly write: (path: string, content: string | Buffer, mode?: number) => string;
  readonly read: (path: string) => string;
  /** Runs a tool as the loop would: arguments pass its schema. */
  readonly run: (tool: AnyTool, args: unknown, changed?: Partial<ToolContext>) => Promise<ToolResult>;
  /** Everything outside of the workspace, by path: kind, mode, content. */
  readonly photographOutside: () => ReadonlyMap<string, string>;
}

/** A new place under the system's folder for temporary files. */
export function createPlace(settings: Partial<JailSettings> = {}): TestPlace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-file-tools-')));
  folders.push(base);
  const [workspace, outside] = [join(base, 'work'), join(base, 'outside')];
  for (const folder of [workspace, outside]) mkdirSync(folder);
  writeFileSync(join(outside, 'secret.txt'), 'outside content\n');
  const context = createContext(workspace, join(base, 'spill'), settings);
  const write: TestPlace['write'] = (path, content, mode) => {
    const target = join(workspace, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    if (mode !== undefined) chmodSync(target, mode);
    return target;
  };
  return {
    base,
    workspace,
    outside,
    context,
    write,
    read: (path) => readFileSync(join(workspace, path), 'utf8'),
    run: (tool, args, changed = {}) => runTool(tool, args, { ...context, ...changed }),
    photographOutside: () => photograph(outside, new Map()),
  };
}

function createContext(workspace: string, spillDir: string, settings: Partial<JailSettings>): ToolContext {
  const jail = createJail({
    workspace,
    readRoots: [spillDir],
    writeRoots: [workspace],
    protectedPaths: [join(workspace, '.ralph')],
    ...settings,
  });
  return {
    jail,
    session: { reads: new Map(), todos: [] },
    signal: new AbortController().signal,
    env: { PATH: '' },
    marker: 'test',
    spillDir,
    scratchpad: join(workspace, '.agent', 'scratchpad.md'),
    quality: {},
    publishes: [],
    publish: async () => refuse({ reason: 'nobody listens', allowed: [] }),
    mayWrite: true,
    search: null,
    allowedPrivateHosts: [],
  };
}

async function runTool(tool: AnyTool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const { parameters, run } = tool as unknown as Tool<unknown>;
  return await run(parameters.parse(args), context);
}

function photograph(path: string, found: Map<string, string>): ReadonlyMap<string, string> {
  const stats = lstatSync(path);
  if (stats.isDirectory()) {
    found.set(path, 'folder');
    for (const name of readdirSync(path)) photograph(join(path, name), found);
  } else if (stats.isSymbolicLink()) found.set(path, `link ${readlinkSync(path)}`);
  else found.set(path, `${stats.mode} ${stats.isFile() ? readFileSync(path, 'latin1') : 'special'}`);
  return found;
}
