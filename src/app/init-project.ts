import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findConfigFile, type Preset, readPreset } from '../config/index.ts';
import { DETECTED_BACKENDS, findNearMiss, type QualityCommand, RalphError } from '../core/index.ts';
import { detectTestCommand } from './detect-test-command.ts';
import { fitConfig, hasTestGate, wantsOtherBackend } from './fit-config.ts';
import { writeInitFiles } from './init-files.ts';
import { listAgents } from './list-agents.ts';
import { STARTER_CONFIG, STARTER_PROMPT } from './starter-files.ts';

/** What `ralph init` is to do. */
export interface InitOrder {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The preset to write; absent: one agent does everything. */
  readonly preset?: string;
  /** The backend to write; absent: the line is a comment, so the first agent that is found is taken. */
  readonly backend?: string;
  /** Overwrite what is there. */
  readonly force: boolean;
}

/** What was written, and what was found out for it. */
export interface Initialised {
  /** The names of the files. */
  readonly written: readonly string[];
  /** The hats of the team; empty where one agent does everything. */
  readonly hats: readonly string[];
  /** The gate that was written, because the project has tests. */
  readonly gate: QualityCommand | null;
  /** True if the team asks for an agent of another make. */
  readonly wantsOther: boolean;
  /** The one that was written for it; `null` where none was found. */
  readonly otherBackend: string | null;
}

/**
 * Writes a commented `ralph.yml`, a `PROMPT.md`, and the schema that editors check the first by. A configuration that is there is refused, a
 * task stays; forced, both are kept under their names with `.old`.
 *
 * @throws RalphError `init-exists`, `init-backend`, `preset-unknown` (exit code 2); `init-unwritable`, `state-folder` (exit code 1)
 */
export function initProject(order: InitOrder): Initialised {
  const { cwd, backend, force } = order;
  checkInit(cwd, force);
  if (backend !== undefined && !DETECTED_BACKENDS.some((type) => type === backend)) throw toUnknownBackend(backend);
  const preset = order.preset === undefined ? null : readPreset(order.preset);
  const text = preset?.text ?? STARTER_CONFIG;
  const gate = hasTestGate(text) ? detectTestCommand(cwd) : null;
  const wantsOther = wantsOtherBackend(text);
  const otherBackend = wantsOther ? findOther(order) : null;
  const config = fitConfig(text, { backend: backend ?? null, otherBackend, testCommand: gate?.command ?? null });
  const prompt = preset === null ? STARTER_PROMPT : readPrompt(preset);
  const written = writeInitFiles(cwd, { config, prompt, force });
  return { written, hats: preset?.hats ?? [], gate, wantsOther, otherBackend };
}

/**
 * Whether `ralph init` may write here.
 *
 * @throws RalphError `init-exists` (exit code 2) when a configuration is there already and nothing is to be overwritten
 */
export function checkInit(cwd: string, force: boolean): void {
  const found = findConfigFile(cwd);
  if (found === null || force) return;
  throw new RalphError({
    code: 'init-exists',
    what: `${found} is here already.`,
    why: 'It is yours; it is not overwritten.',
    fix: `Edit it, or write the files anew with: ralph init --force (what is there is kept as ${found}.old and PROMPT.md.old)`,
    exitCode: 2,
  });
}

/** An installed agent that is not the one of the team. */
function findOther({ cwd, env, backend }: InitOrder): string | null {
  const agents = listAgents(env, cwd);
  const own = backend ?? agents[0];
  return agents.find((type) => type !== own) ?? null;
}

function readPrompt({ name, path }: Preset): string {
  return readFileSync(join(dirname(path), 'prompts', `${name}.md`), 'utf8');
}

function toUnknownBackend(backend: string): RalphError {
  const needsCommand = backend === 'custom' || backend === 'acp';
  const near = findNearMiss(backend, DETECTED_BACKENDS);
  const name = JSON.stringify(backend.slice(0, 60));
  return new RalphError({
    code: 'init-backend',
    what: needsCommand
      ? `A ${backend} backend needs a command, which this cannot know.`
      : `There is no backend ${name}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`,
    fix: needsCommand
      ? `ralph init, then write into ralph.yml: cli: {backend: ${backend}, command: ./agent.sh}`
      : `Backends: ${DETECTED_BACKENDS.join(', ')}.`,
    exitCode: 2,
  });
}
