import {
  type BackendSpec,
  type BackendType,
  type CliType,
  DETECTED_BACKENDS,
  isAgentCli,
  toBackendLabel,
  toListedBackend,
} from '../core/backends/backend-spec.ts';
import { RalphError } from '../core/values/errors.ts';
import type { JsonObject } from '../core/values/json.ts';
import type { Backend } from '../ports/backend.ts';
import type { TurnScope } from '../ports/program.ts';
import { createAcpParts } from './acp/index.ts';
import { amp } from './amp/index.ts';
import { auggie } from './auggie/index.ts';
import { claude } from './claude/index.ts';
import { cline } from './cline/index.ts';
import { codex } from './codex/index.ts';
import { copilot } from './copilot/index.ts';
import { createCustomParts } from './custom/index.ts';
import type { CliDescription, CliStream } from './describe/description.ts';
import { type CliBackendParts, type PromptPlace, placePrompt } from './describe/invocation.ts';
import { type BackendReport, type DetectOptions, detectClis } from './detect/detect-backends.ts';
import { findCommand } from './detect/find-command.ts';
import { gemini } from './gemini/index.ts';
import { kiro } from './kiro/index.ts';
import { opencode } from './opencode/index.ts';
import { pi } from './pi/index.ts';
import { qwen } from './qwen/index.ts';
import { createStreamOrText } from './stream/stream-or-text.ts';
import { createTextTranslator } from './stream/text-translator.ts';
import type { Translator } from './stream/translator.ts';
import { type BackendOptions, createCliBackend, createFailedTurn } from './turn/cli-backend.ts';

/**
 * Every agent CLI that is known, in the default order of `cli.priority`: one folder each. How a person signs in, what it tells of costs and whether
 * it was tried is in `AGENT_CLIS` of `core`, for pure code.
 */
const CLIS: Readonly<Record<CliType, CliDescription>> = { claude, codex, gemini, opencode, pi, copilot, qwen, cline, auggie, amp, kiro };

/** Every agent CLI that is known, in the default order of `cli.priority`. */
export function listBackends(): readonly CliDescription[] {
  return Object.values(CLIS);
}

export const PROBED_CLIS: readonly CliType[] = listBackends().flatMap(({ type, probe }) => (probe === undefined ? [] : [type]));

/** What is known of a kind of agent that is an agent CLI; `null` for all others. */
export function findCli(type: BackendType): CliDescription | null {
  return isAgentCli(type) ? CLIS[type] : null;
}

/**
 * Makes the backend of a declaration. Never fails: what cannot be run (no command, no CLI found for `auto`) fails its turns with class
 * `spawn` and says why. `scripted` is made by {@link createScriptedBackend} instead.
 */
export function createBackend(spec: BackendSpec, options: BackendOptions = {}): Backend {
  if (spec.type === 'auto') return createAutoBackend(spec, options);
  const parts = toParts(spec);
  if (parts !== undefined) return createCliBackend(spec, parts, options);
  const failure = { class: 'spawn', message: `there is no backend "${spec.type}" that could be started from a configuration` } as const;
  return { label: toBackendLabel(spec), start: () => createFailedTurn(failure) };
}

function toParts(spec: BackendSpec): CliBackendParts | undefined {
  if (spec.type === 'acp') return createAcpParts(spec);
  if (spec.type === 'custom') return createCustomParts(spec, createTranslator);
  const cli = findCli(spec.type);
  return cli === null ? undefined : toCliParts(spec, cli);
}

function toCliParts(spec: BackendSpec, { takes, isPromptPositional, plan, stream }: CliDescription): CliBackendParts {
  return {
    place: (prompt, wish) => placePrompt(prompt, { wanted: toWanted(spec, takes, wish), takes, isPositional: isPromptPositional }),
    plan,
    createTranslator: ({ format, stdin }, { prompt }) => {
      const translator = createTranslator(format, prompt);
      return stdin === 'open' && stream?.converse !== undefined ? stream.converse(translator, prompt) : translator;
    },
    shouldLeave: true,
  };
}

/** The way in which the prompt is given. A wish of the turn counts only where the program can take it so. */
function toWanted(spec: BackendSpec, takes: CliDescription['takes'], wish: TurnScope['prompt'] | undefined): PromptPlace {
  return wish === 'stdin' && takes.includes('stdin') ? 'stdin' : (spec.promptMode ?? takes[0] ?? 'arg');
}

/** The first CLI that the turn's own PATH holds. */
function createAutoBackend(spec: BackendSpec, options: BackendOptions): Backend {
  return {
    label: toBackendLabel(spec),
    start(request, observe) {
      const type = findAvailable(DETECTED_BACKENDS, request.env['PATH'], request.cwd);
      if (type !== undefined) return createBackend({ ...spec, type }, options).start(request, observe);
      return createFailedTurn({ class: 'spawn', message: toNoAgentError(DETECTED_BACKENDS).message, isMissing: true });
    },
  };
}

/**
 * The first of these CLIs that is there, by a look at the folders of `searchPath` (counted from `cwd`); nothing is started.
 * Kinds that are no CLI are passed over.
 *
 * @throws RalphError `no-agent-found`
 */
export function firstAvailable(priority: readonly BackendType[], searchPath: string | undefined, cwd = '/'): BackendType {
  const found = findAvailable(priority, searchPath, cwd);
  if (found === undefined) throw toNoAgentError(priority);
  return found;
}

function findAvailable(priority: readonly BackendType[], searchPath: string | undefined, cwd: string): BackendType | undefined {
  return priority.find((type) => {
    const cli = findCli(type);
    return cli !== null && isAvailable(cli, searchPath, cwd);
  });
}

/** Finds out which agent CLIs are there, all at once. Versions are asked of the programs and remembered until their file changes. */
export function detectBackends(options: DetectOptions): Promise<readonly BackendReport[]> {
  const wanted = (options.priority ?? DETECTED_BACKENDS).flatMap((type) => findCli(type) ?? []);
  return detectClis(wanted, options);
}

/** The agent CLIs that are there, in the default order of `cli.priority`, by a look at the folders of `searchPath` (counted from `cwd`). */
export function listAvailable(searchPath: string | undefined, cwd: string): readonly BackendType[] {
  return listBackends()
    .filter((cli) => isAvailable(cli, searchPath, cwd))
    .map(({ type }) => type);
}

function isAvailable({ command }: CliDescription, searchPath: string | undefined, cwd: string): boolean {
  return findCommand(command, cwd, searchPath).ok;
}

function toNoAgentError(priority: readonly BackendType[]): RalphError {
  return new RalphError({
    code: 'no-agent-found',
    what: `No agent CLI was found in PATH: looked for ${priority.map(toListedBackend).join(', ')}.`,
    why: 'A run needs an agent that does the work.',
    fix: 'Install one and sign in (`npm install -g @anthropic-ai/claude-code`), or name your own program: `cli: {backend: custom, command: ./agent.sh}`. `ralph doctor` shows what is there.',
    exitCode: 2,
  });
}

/** The streams that are understood, by the CLI that speaks them. */
const STREAMS: ReadonlyMap<string, CliStream> = new Map(
  listBackends().flatMap(({ type, stream }) => (stream === undefined ? [] : [[type, stream] as const])),
);

/** What a custom agent's output can be: plain text, some stream (it is found out which), or the stream of a named CLI. */
export const OUTPUT_FORMATS: readonly string[] = ['text', 'stream', ...STREAMS.keys()];

/** The translator for an output format. A name that is not in {@link OUTPUT_FORMATS} is taken as `text`. */
export function createTranslator(format: string, prompt: string): Translator {
  const text = createTextTranslator(prompt);
  if (format === 'stream') return createStreamOrText((first) => findByFirstLine(first)?.create() ?? null, text, text);
  const stream = STREAMS.get(format)?.create();
  return stream === undefined ? text : createStreamOrText(() => stream, stream, text);
}

function findByFirstLine(first: JsonObject): CliStream | undefined {
  const all = [...STREAMS.values()];
  return all.find(({ begins }) => begins(first)) ?? all.find(({ continues }) => continues?.(first) === true);
}
