import { lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createJsonSchema } from '../config/keys/create-json-schema.ts';
import { listPresets, type Preset, readPreset } from '../config/layers/package-files.ts';
import { findConfigFile } from '../config/layers/read-config-file.ts';
import type { QualityCommand } from '../core/project/package-scripts.ts';
import { toMoveAway } from '../core/text/shell-word.ts';
import { RalphError, toErrorCode, toErrorMessage } from '../core/values/errors.ts';
import { tryOr } from '../core/values/result.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { ensureStateFolders } from '../journal/state-folders.ts';
import { findOldName, isNameTaken } from '../validation/replace-file.ts';
import { findCheckCommand } from './find-checks.ts';
import { chooseInitModel, findOtherBackend, type InitBackendOrder, type NativeChoice } from './init-backend.ts';
import {
  findOwnGate,
  fitConfig,
  hasTestGate,
  type InitPlace,
  SCHEMA_FILE,
  STARTER_CONFIG,
  STARTER_PROMPT,
  toWorkspaceText,
  wantsOtherBackend,
} from './init-config.ts';

export interface InitOrder extends InitBackendOrder {
  /** The preset to write; absent: one agent does everything. */
  readonly preset?: string;
  /** What is to be done: the text of `PROMPT.md`; absent: a task to fill in. */
  readonly task?: string;
  /** The command that proves the work; `null`: none, absent: the one that the files of the project name. */
  readonly gate?: string | null;
  /** Where its runs can work; absent or `null`: in the folder itself. */
  readonly place?: InitPlace | null;
  /** Overwrite what is there. */
  readonly force: boolean;
}

/** A gate of a project: the file of the project that names it, `preset` for one that the team brings, `null` for one that a person named. */
interface InitGate {
  readonly command: string;
  readonly from: QualityCommand['from'] | 'preset' | null;
}

/** What was written, and what was found out for it. */
export interface Initialised {
  /** The names of the files. */
  readonly written: readonly string[];
  /** The hats of the team; empty where one agent does everything. */
  readonly hats: readonly string[];
  /** The gate that was written, or that the team brings; `null`: none. */
  readonly gate: InitGate | null;
  /** Whether `PROMPT.md` still has to be filled in. */
  readonly isTaskOpen: boolean;
  /** True if the team asks for an agent of another make. */
  readonly wantsOther: boolean;
  /** The one that was written for it; `null` where none was found. */
  readonly otherBackend: string | null;
  /** The model of the built-in agent, where that is the one. */
  readonly native: NativeChoice | null;
}

/**
 * Writes a commented `ralph.yml`, a `PROMPT.md`, and the schema that editors check the first by. A configuration that is there is refused, a
 * task stays; forced, the configuration and a task that another one replaces are kept under their names with `.old`.
 *
 * @throws RalphError `init-exists`, `init-backend`, `preset-unknown` (exit code 2); `init-unwritable`, `state-folder` (exit code 1)
 */
export function initProject(order: InitOrder): Initialised {
  const { cwd, backend, force } = order;
  checkInit(cwd, force);
  const { model, native } = chooseInitModel(order);
  const preset = order.preset === undefined ? null : readPreset(order.preset);
  const text = preset?.text ?? STARTER_CONFIG;
  const gate = findGate(order, text);
  const wantsOther = wantsOtherBackend(text);
  const otherBackend = wantsOther ? findOtherBackend(order) : null;
  const fitted = fitConfig(text, {
    backend: backend ?? null,
    model,
    otherBackend,
    gate,
    wantsNoGate: order.gate === null && gate === null,
  });
  const config = order.place == null ? fitted : `${fitted.trimEnd()}\n${toWorkspaceText(order.place)}`;
  const task = order.task?.trim() ?? '';
  if (task !== '' && !force && hasTask(cwd)) throw toTaskThere();
  const prompt = task !== '' ? `${task}\n` : preset === null ? STARTER_PROMPT : readTemplate(preset);
  const written = writeInitFiles(cwd, { config, prompt, keepsPrompt: task === '' && isFilledIn(cwd), force });
  const isTaskOpen = task === '' && written.includes('PROMPT.md');
  return { written, hats: preset?.hats ?? [], gate, isTaskOpen, wantsOther, otherBackend, native };
}

/** What a person named, else what the files of the project name, for a team that has a place for it; a team that brings a gate keeps it. */
function findGate({ cwd, gate }: Pick<InitOrder, 'cwd' | 'gate'>, text: string): Initialised['gate'] {
  const named = gate?.trim() ?? '';
  if (named !== '') return { command: named, from: null };
  const own = findOwnGate(text);
  if (own !== null) return { command: (own === 'tests' ? findCheckCommand(cwd, own)?.command : null) ?? own, from: 'preset' };
  return gate === undefined && hasTestGate(text) ? findCheckCommand(cwd, 'tests') : null;
}

/** The gate that `ralph init` writes unless it is told otherwise; `null`: none. */
export function findDefaultGate(cwd: string, preset?: string): Initialised['gate'] {
  return findGate({ cwd }, preset === undefined ? STARTER_CONFIG : readPreset(preset).text);
}

export function hasTask(cwd: string): boolean {
  return isNameTaken(join(cwd, 'PROMPT.md'));
}

/** Whether `PROMPT.md` says something that is no form; true for one that cannot be read. */
function isFilledIn(cwd: string): boolean {
  try {
    if (!isFile(join(cwd, 'PROMPT.md'))) return false;
    const text = readFileSync(join(cwd, 'PROMPT.md'), 'utf8');
    return text.trim() !== '' && !isTemplate(text);
  } catch (error) {
    return toErrorCode(error) === 'EACCES';
  }
}

/** Nobody may ever write to a pipe; a link that leads nowhere throws. */
function isFile(path: string): boolean {
  return statSync(path).isFile();
}

/** True for a task that is as `ralph init` wrote it, with nothing filled in. */
export function isTemplate(task: string): boolean {
  if (!task.includes('…')) return false;
  const text = toComparable(task);
  return text === toComparable(STARTER_PROMPT) || listPresets().some((preset) => text === toComparable(readTemplate(preset)));
}

function toComparable(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function toTaskThere(): RalphError {
  return new RalphError({
    code: 'init-exists',
    what: 'PROMPT.md is here already, with a task.',
    why: 'It is yours; it is not overwritten.',
    fix: 'Leave --task out, or rewrite the files with --task and --force (the old one is kept as PROMPT.md.old)',
    exitCode: 2,
  });
}

/**
 * Whether `ralph init` may write here.
 *
 * @throws RalphError `init-exists` (exit code 2) when a configuration is there already and nothing is to be overwritten; `init-unwritable` where no file stands in
 * the place of the task
 */
export function checkInit(cwd: string, force: boolean): void {
  const found = findConfigFile(cwd);
  if (force) return;
  if (found === null) return refuseOther(cwd);
  throw new RalphError({
    code: 'init-exists',
    what: `${found} is here already.`,
    why: 'It is yours; it is not overwritten.',
    fix: `Edit it, or rewrite the files with: ralph init --force (the old one is kept as ${found}.old; a task in PROMPT.md stays)`,
    exitCode: 2,
  });
}

/** A folder or a pipe is no task, and a run would be refused for it. */
function refuseOther(cwd: string): void {
  if (isFree(join(cwd, 'PROMPT.md'))) return;
  throw new RalphError({
    code: 'init-unwritable',
    what: 'PROMPT.md is not a regular file; nothing was written.',
    why: 'The task of a run is read from there.',
    fix: toMoveAway('PROMPT.md'),
  });
}

/** Whether a file is there, or nothing. A link that leads round in a circle is neither. */
function isFree(path: string): boolean {
  return tryOr(() => statSync(path, { throwIfNoEntry: false })?.isFile() !== false, false);
}

function readTemplate({ name, path }: Pick<Preset, 'name' | 'path'>): string {
  return readFileSync(join(dirname(path), 'prompts', `${name}.md`), 'utf8');
}

/** What is to be written, and whether what is there gives way. */
interface InitFiles {
  readonly config: string;
  readonly prompt: string;
  /** True for a task that stays, forced or not. */
  readonly keepsPrompt: boolean;
  readonly force: boolean;
}

const CONFIG = 'ralph.yml';
const PROMPT = 'PROMPT.md';

/**
 * Writes `ralph.yml`, `PROMPT.md` and the schema that editors check the first by. A task that is there stays; forced, what is there is kept
 * under its name with `.old`.
 *
 * @returns the names of the files that were written
 * @throws RalphError `init-unwritable`, `state-folder` (exit code 1)
 */
function writeInitFiles(cwd: string, { config, prompt, keepsPrompt, force }: InitFiles): readonly string[] {
  for (const name of [dirname(SCHEMA_FILE), SCHEMA_FILE]) refuseLink(cwd, name);
  ensureStateFolders(nodeFileSystem, [join(cwd, dirname(SCHEMA_FILE))]);
  try {
    if (force) for (const name of [findConfigFile(cwd), keepsPrompt ? null : PROMPT]) if (name !== null) putAside(join(cwd, name));
    writeFileSync(join(cwd, CONFIG), config, { flag: 'wx' });
    const isPromptThere = isNameTaken(join(cwd, PROMPT));
    if (!isPromptThere) writeFileSync(join(cwd, PROMPT), prompt, { flag: 'wx' });
    writeSchema(join(cwd, SCHEMA_FILE));
    return [CONFIG, ...(isPromptThere ? [] : [PROMPT]), SCHEMA_FILE];
  } catch (error) {
    throw toUnwritable(error);
  }
}

/** What is written here may not land elsewhere. */
function refuseLink(cwd: string, name: string): void {
  if (!tryOr(() => lstatSync(join(cwd, name)).isSymbolicLink(), false)) return;
  throw new RalphError({
    code: 'init-unwritable',
    what: `${name} is a link; nothing was written.`,
    why: 'Its target may not be Ralph’s file, and would be overwritten.',
    fix: 'Move the link away.',
  });
}

function writeSchema(path: string): void {
  const fresh = `${path}.${process.pid}-${Date.now()}.tmp`;
  writeFileSync(fresh, `${JSON.stringify(createJsonSchema())}\n`, { flag: 'wx' });
  try {
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Renames a file to the first free one of `x.old`, `x.old2`, … */
function putAside(path: string): void {
  if (isNameTaken(path)) renameSync(path, findOldName(path));
}

function toUnwritable(error: unknown): RalphError {
  return new RalphError({
    code: 'init-unwritable',
    what: `The files cannot be written: ${toErrorMessage(error)}`,
    fix:
      toErrorCode(error) === 'EEXIST'
        ? `Move away what stands in the place of ${CONFIG} or ${PROMPT}.`
        : 'Make room, or give this folder write permission.',
    cause: error,
  });
}
