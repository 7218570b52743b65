import { isTextList, type Json, type JsonObject, readOwn } from '../values/json.ts';
import { isSingleCommand, listCommands } from './list-commands.ts';

export interface JudgedCall {
  /** By its own name. */
  readonly tool: string;
  readonly input: JsonObject;
  /** Absolute; the folder from which paths count. */
  readonly workspace: string;
  /** Where the path of the call really leads, links resolved; absent: nobody has looked. */
  readonly realPath?: string;
}

/** What an argument is, and so how a pattern is held against it. */
type ArgumentKind = 'command' | 'path' | 'url' | 'text';

/** The argument that says what a call is about. `unsaid`: what it is where the call does not say it; absent: it may be anything. */
interface ArgumentRow {
  readonly key: string;
  readonly kind: ArgumentKind;
  readonly unsaid?: string;
}

/** The argument of each tool that a pattern is held against. A tool that is not here (of a plugin, of a server) is asked about all of its texts. */
export const CALL_ARGUMENTS: Readonly<Record<string, ArgumentRow>> = {
  bash: { key: 'command', kind: 'command' },
  read_file: { key: 'path', kind: 'path' },
  write_file: { key: 'path', kind: 'path' },
  edit_file: { key: 'path', kind: 'path' },
  list_files: { key: 'path', kind: 'path', unsaid: '.' },
  glob: { key: 'path', kind: 'path', unsaid: '.' },
  grep: { key: 'path', kind: 'path', unsaid: '.' },
  git_init: { key: 'path', kind: 'path', unsaid: '.' },
  git_log: { key: 'path', kind: 'path', unsaid: '.' },
  git_diff: { key: 'paths', kind: 'path', unsaid: '.' },
  git_commit: { key: 'paths', kind: 'path', unsaid: '.' },
  git_push: { key: 'branch', kind: 'text' },
  git_remote_add: { key: 'url', kind: 'url' },
  github_create_pr: { key: 'title', kind: 'text' },
  github_create_repo: { key: 'name', kind: 'text' },
  web_fetch: { key: 'url', kind: 'url' },
  web_search: { key: 'query', kind: 'text' },
  run_tests: { key: 'filter', kind: 'text' },
  run_build: { key: 'target', kind: 'text' },
  emit_event: { key: 'topic', kind: 'text' },
};

interface CalledThing {
  readonly kind: ArgumentKind;
  /** As it is written in the call. */
  readonly written: string;
  /** Every form in which a rule may name it or a part of it; empty where it cannot be looked into. */
  readonly forms: ReadonlySet<string>;
  /** The forms that say all there is to it, which a pattern may allow; empty where there is more to it than a pattern can say. */
  readonly wholes: readonly string[];
}

/** A call whose arguments were looked at once, for all rules. */
export interface CalledTool {
  readonly tool: string;
  /** What it is about; a rule that allows has to fit all of it. */
  readonly things: readonly CalledThing[];
  /** True where it cannot be told what it is about: rules that deny or ask take it, rules that allow do not. */
  readonly isUnclear: boolean;
}

const MAX_TEXT = 100_000;
const MAX_TEXTS = 1000;
const MAX_DEPTH = 20;

/** Looks at the arguments of a call: at the one that says what it is about, where the tool is known, else at every text in them. Never throws. */
export function readCalledTool(call: JudgedCall): CalledTool {
  const row = readOwn(CALL_ARGUMENTS, call.tool);
  if (row === undefined) {
    const texts: string[] = [];
    const isUnclear = !collectTexts(call.input, texts, MAX_DEPTH) || texts.some((text) => text.length > MAX_TEXT);
    return { tool: call.tool, things: isUnclear ? [] : texts.map((text) => toThing('text', text, call)), isUnclear };
  }
  const said = readOwn(call.input, row.key) ?? row.unsaid;
  const texts = typeof said === 'string' ? [said] : isTextList(said) ? (said.length === 0 ? [row.unsaid ?? ''] : said) : null;
  if (texts === null || texts.length > MAX_TEXTS || texts.some((text) => text.length > MAX_TEXT))
    return { tool: call.tool, things: [], isUnclear: true };
  const things = texts.map((text) => toThing(row.kind, text, call));
  return { tool: call.tool, things, isUnclear: things.some(({ forms }) => forms.size === 0) };
}

function toThing(kind: ArgumentKind, written: string, { workspace, realPath }: JudgedCall): CalledThing {
  switch (kind) {
    case 'command':
      return { kind, written, forms: listCommands(written) ?? new Set(), wholes: isSingleCommand(written) ? [written.trim()] : [] };
    case 'path':
      return { kind, written, ...toPathForms(written, workspace, realPath) };
    case 'url':
      return { kind, written, ...toUrlForms(written) };
    case 'text':
      return { kind, written, forms: new Set([written]), wholes: [written] };
  }
}

/** Whether all texts in a value were found. */
function collectTexts(value: Json, into: string[], depth: number): boolean {
  if (typeof value === 'string') into.push(value);
  if (into.length > MAX_TEXTS || depth === 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((child) => collectTexts(child, into, depth - 1));
}

/** A path that leads through a link is two files in one: what one pattern denies may be either, and none allows it. */
function toPathForms(written: string, workspace: string, realPath: string | undefined): Pick<CalledThing, 'forms' | 'wholes'> {
  const toForms = (path: string): readonly string[] => [toRelative(path, workspace), path];
  const named = toAbsolute(written, workspace);
  if (realPath === undefined || realPath === named) return { forms: new Set(toForms(named)), wholes: toForms(named) };
  return { forms: new Set([...toForms(named), ...toForms(realPath)]), wholes: [] };
}

function toAbsolute(path: string, workspace: string): string {
  return `/${normalisePath(path.startsWith('/') ? path : `${workspace}/${path}`)}`;
}

/** @param path absolute and without `..` */
function toRelative(path: string, workspace: string): string {
  const from = normalisePath(workspace).split('/').filter(Boolean);
  const to = path.split('/').filter(Boolean);
  let same = 0;
  while (same < from.length && from[same] === to[same]) same += 1;
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/') || '.';
}

/** Without a slash at either end, `.`, and `..` as far as there is something before it. */
function normalisePath(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

/** As programs read it, and `domain:` with its host. Before an `@` there may be what looks like another host. */
function toUrlForms(written: string): Pick<CalledThing, 'forms' | 'wholes'> {
  const trimmed = written.trim();
  if (!URL.canParse(trimmed)) return { forms: new Set([written, trimmed]), wholes: [trimmed] };
  const { href, hostname, username, password } = new URL(trimmed);
  const known = [href, `domain:${hostname.replace(/\.$/, '')}`];
  return { forms: new Set([...known, trimmed]), wholes: username === '' && password === '' ? known : [] };
}
