import { type BackendSpec, type BackendType, DETECTED_BACKENDS, RalphError, toBackendLabel, toListedBackend } from '../core/index.ts';
import type { Backend, TurnScope } from '../ports/index.ts';
import { createAcpParts } from './acp/index.ts';
import { type BackendOptions, type CliBackendParts, createCliBackend, createFailedTurn } from './cli-backend.ts';
import { findCli, listBackends } from './clis.ts';
import { createCustomParts } from './custom/index.ts';
import type { CliDescription } from './description.ts';
import { findCommand } from './find-command.ts';
import type { PromptPlace } from './invocation.ts';
import { placePrompt } from './prompt-place.ts';
import { createTranslator } from './stream-formats.ts';

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
  if (spec.type === 'custom') return createCustomParts(spec);
  const cli = findCli(spec.type);
  return cli === null ? undefined : toCliParts(spec, cli);
}

function toCliParts(spec: BackendSpec, { takes, isPromptPositional, plan }: CliDescription): CliBackendParts {
  return {
    place: (prompt, wish) => placePrompt(prompt, { wanted: toWanted(spec, takes, wish), takes, isPositional: isPromptPositional }),
    plan,
    createTranslator: (invocation, request) => createTranslator(invocation.format, request.prompt),
    shouldLeave: true,
  };
}

/** A wish of the turn's counts only where the program can meet it. */
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
      return createFailedTurn({ class: 'spawn', message: toNoAgentError(DETECTED_BACKENDS).message });
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

/** The agent CLIs that are there, in the default order of `cli.priority`, by a look at the folders of `searchPath` (counted from `cwd`). */
export function listAvailable(searchPath: string | undefined, cwd: string): readonly BackendType[] {
  return listBackends()
    .filter((cli) => isAvailable(cli, searchPath, cwd))
    .map(({ type }) => type);
}

function isAvailable({ command }: CliDescription, searchPath: string | undefined, cwd: string): boolean {
  return 'path' in findCommand(command, cwd, searchPath);
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
