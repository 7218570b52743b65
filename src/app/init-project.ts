import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listAvailable, listBackends } from '../backends/index.ts';
import { findConfigFile, findProvider, listPresets, type Preset, readPreset } from '../config/index.ts';
import {
  DETECTED_BACKENDS,
  findNearMiss,
  type QualityCommand,
  RalphError,
  toErrorCode,
  toListedBackend,
  toMoveAway,
} from '../core/index.ts';
import { isTaken } from '../validation/index.ts';
import { detectTestCommand } from './detect-test-command.ts';
import { fitConfig, hasTestGate, wantsOtherBackend } from './fit-config.ts';
import { writeInitFiles } from './init-files.ts';
import { type InitPlace, toPlaceText } from './init-place.ts';
import { STARTER_CONFIG, STARTER_PROMPT } from './starter-files.ts';

/** What `ralph init` is to do. */
export interface InitOrder {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The preset to write; absent: one agent does everything. */
  readonly preset?: string;
  /** The backend to write; absent: the line is a comment, so the first agent that is found is taken. */
  readonly backend?: string;
  /** The model of that backend. Default: the CLI's own; of `native` one whose key is in the environment. */
  readonly model?: string;
  /** What is to be done: the text of `PROMPT.md`; absent: a task to fill in. */
  readonly task?: string;
  /** The command that proves the work; `null`: none, absent: the one that the files of the project name. */
  readonly gate?: string | null;
  /** Where its runs can work; absent or `null`: in the folder itself. */
  readonly place?: InitPlace | null;
  /** Overwrite what is there. */
  readonly force: boolean;
}

/** What was written, and what was found out for it. */
export interface Initialised {
  /** The names of the files. */
  readonly written: readonly string[];
  /** The hats of the team; empty where one agent does everything. */
  readonly hats: readonly string[];
  /** The gate that was written: where the files of the project name it `from` is the file, else `null`. */
  readonly gate: { readonly command: string; readonly from: QualityCommand['from'] | null } | null;
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
  if (backend !== undefined && backend !== NATIVE && !DETECTED_BACKENDS.some((type) => type === backend)) throw toUnknownBackend(backend);
  const native = backend === NATIVE ? chooseModel(order.model, order.env) : null;
  const model = native?.model ?? readModel(order);
  const preset = order.preset === undefined ? null : readPreset(order.preset);
  const text = preset?.text ?? STARTER_CONFIG;
  const gate = findGate(order, text);
  const wantsOther = wantsOtherBackend(text);
  const otherBackend = wantsOther ? findOther(order) : null;
  const fitted = fitConfig(text, {
    backend: backend ?? null,
    model,
    otherBackend,
    gate,
    // A preset with a gate of its own keeps it.
    wantsNoGate: order.gate === null && !/^gates:/m.test(text),
  });
  const config = order.place == null ? fitted : `${fitted.trimEnd()}\n${toPlaceText(order.place)}`;
  const task = order.task?.trim() ?? '';
  if (task !== '' && !force && hasTask(cwd)) throw toTaskThere();
  const prompt = task !== '' ? `${task}\n` : preset === null ? STARTER_PROMPT : readTemplate(preset);
  const written = writeInitFiles(cwd, { config, prompt, keepsPrompt: task === '' && isFilledIn(cwd), force });
  const isTaskOpen = task === '' && written.includes('PROMPT.md');
  return { written, hats: preset?.hats ?? [], gate, isTaskOpen, wantsOther, otherBackend, native };
}

/** What a person named, else what the files of the project name, for a team that has a place for it. */
function findGate({ cwd, gate }: Pick<InitOrder, 'cwd' | 'gate'>, text: string): Initialised['gate'] {
  if (gate === null || gate?.trim() === '') return null;
  if (gate !== undefined) return { command: gate.trim(), from: null };
  return hasTestGate(text) ? detectTestCommand(cwd) : null;
}

/** The gate that `ralph init` writes unless it is told otherwise; `null`: none. */
export function findDefaultGate(cwd: string, preset?: string): Initialised['gate'] {
  return findGate({ cwd }, preset === undefined ? STARTER_CONFIG : readPreset(preset).text);
}

/** Whether a task is there already. */
export function hasTask(cwd: string): boolean {
  return isTaken(join(cwd, 'PROMPT.md'));
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
    fix: 'Leave --task out, or write the files anew with --task and --force (what is there is kept as PROMPT.md.old)',
    exitCode: 2,
  });
}

const NATIVE = 'native';

/** The model of an agent CLI, which alone knows whether there is one of that name. */
function readModel({ backend, model }: InitOrder): string | null {
  if (backend === undefined || model === undefined) return null;
  if (model.trim() !== '' && !/[\r\n]/.test(model)) return model.trim();
  throw new RalphError({
    code: 'init-backend',
    what: `${JSON.stringify(model.slice(0, 60))} is no name of a model: that is text on one line.`,
    fix: `ralph init --backend ${backend} --model NAME, or leave --model out`,
    exitCode: 2,
  });
}

/** A model for the built-in agent, and the environment variable that holds its key. */
export interface NativeChoice {
  readonly model: string;
  readonly key: string;
  readonly hasKey: boolean;
}

/** A model that is good at code, for each provider that needs no address, and where the key usually is. */
const NATIVE_MODELS = {
  anthropic: { model: 'claude-sonnet-5', keys: ['ANTHROPIC_API_KEY'] },
  openai: { model: 'gpt-5.5', keys: ['OPENAI_API_KEY'] },
  google: { model: 'gemini-3.5-flash', keys: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'] },
} as const;

type Env = InitOrder['env'];

/** The models that `ralph init` offers for the built-in agent; those whose key is there come first. */
export function listNativeModels(env: Env): readonly NativeChoice[] {
  const choices = Object.values(NATIVE_MODELS).map(({ model, keys }) => toChoice(model, keys, env));
  return [...choices.filter(({ hasKey }) => hasKey), ...choices.filter(({ hasKey }) => !hasKey)];
}

function toChoice(model: string, keys: readonly [string, ...string[]], env: Env): NativeChoice {
  const found = keys.find((name) => (env[name] ?? '').trim() !== '');
  return { model, key: found ?? keys[0], hasKey: found !== undefined };
}

/** The built-in agent can only be written down with a model whose provider its name tells. */
function chooseModel(model: string | undefined, env: Env): NativeChoice {
  const [first] = listNativeModels(env);
  if (model === undefined && first !== undefined) return first;
  const name = model ?? '';
  const provider = findProvider({ model: name });
  if (provider !== undefined && Object.hasOwn(NATIVE_MODELS, provider))
    return toChoice(name, NATIVE_MODELS[provider as keyof typeof NATIVE_MODELS].keys, env);
  throw new RalphError({
    code: 'init-backend',
    what: `Whose model ${JSON.stringify(name.slice(0, 60))} is cannot be told by its name.`,
    why: 'The native agent asks a model of Anthropic, OpenAI or Google by its name; another server needs its address.',
    fix: `${explainModel(name)?.fix ?? 'With an agent CLI: ralph init --backend claude --model NAME'}\nThe built-in agent: ralph init --backend native --model claude-sonnet-5\nor write into ralph.yml: cli: {backend: {type: native, provider: openai-compatible, model: …, base_url: …}}`,
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
    fix: `Edit it, or write the files anew with: ralph init --force (what is there is kept as ${found}.old; a task in PROMPT.md stays)`,
    exitCode: 2,
  });
}

/** A folder or a pipe is no task, and a run would be refused for it. */
function refuseOther(cwd: string): void {
  if (isFree(join(cwd, 'PROMPT.md'))) return;
  throw new RalphError({
    code: 'init-unwritable',
    what: 'What stands in the place of PROMPT.md is no file; nothing was written.',
    why: 'The task of a run is read from there.',
    fix: toMoveAway('PROMPT.md'),
  });
}

/** Whether a file is there, or nothing. A link that leads round in a circle is neither. */
function isFree(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() !== false;
  } catch {
    return false;
  }
}

/** An installed agent that is not the one of the team. */
function findOther({ cwd, env, backend }: InitOrder): string | null {
  const agents = listAvailable(env['PATH'], cwd);
  const own = backend ?? agents[0];
  return agents.find((type) => type !== own) ?? null;
}

function readTemplate({ name, path }: Pick<Preset, 'name' | 'path'>): string {
  return readFileSync(join(dirname(path), 'prompts', `${name}.md`), 'utf8');
}

/** What the CLI of Anthropic calls its models. */
const SHORT_MODEL = /^(?:sonnet|opus|haiku)$/;

/** What a person meant who gave a model as the backend; `null` for what is no model. */
function explainModel(word: string): { readonly what: string; readonly fix: string } | null {
  const isShort = SHORT_MODEL.test(word);
  // Others name the maker first: anthropic/claude-sonnet-5.
  const model = word.split('/').at(-1) ?? '';
  const maker = isShort ? 'anthropic' : /^[\w.:-]+\d[\w.:-]*$/.test(model) ? findProvider({ model }) : undefined;
  const cli = maker && listBackends().find((known) => known.maker === maker)?.type;
  if (cli === undefined) return null;
  const native = `The built-in agent, which needs a key: ralph init --backend native --model ${model}`;
  const byCli = `The agent CLI: ralph init --backend ${cli} --model ${model}`;
  return { what: `${JSON.stringify(word)} is a model, not a backend.`, fix: [...(isShort ? [] : [native]), byCli].join('\n') };
}

function toUnknownBackend(backend: string): RalphError {
  const meant = explainModel(backend.slice(0, 100));
  if (meant !== null) return new RalphError({ code: 'init-backend', ...meant, exitCode: 2 });
  const needsCommand = backend === 'custom' || backend === 'acp';
  const near = findNearMiss(backend, [...DETECTED_BACKENDS, NATIVE]);
  const name = JSON.stringify(backend.slice(0, 60));
  return new RalphError({
    code: 'init-backend',
    what: needsCommand
      ? `A ${backend} backend needs a command, which this cannot know.`
      : `There is no backend ${name}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`,
    fix: needsCommand
      ? `ralph init, then write into ralph.yml: cli: {backend: ${backend}, command: ./agent.sh}`
      : `Backends: ${[...DETECTED_BACKENDS, NATIVE].map(toListedBackend).join(', ')}.`,
    exitCode: 2,
  });
}
