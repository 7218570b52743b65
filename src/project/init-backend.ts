import { listAvailable, listBackends } from '../backends/clis.ts';
import { findProvider } from '../config/compile/compile-backends.ts';
import { DETECTED_BACKENDS, toListedBackend } from '../core/backends/backend-spec.ts';
import { findNearMiss } from '../core/text/near-miss.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';

export interface InitBackendOrder {
  readonly cwd: string;
  readonly env: Environment;
  /** The backend to write; absent: the line is a comment, so the first agent that is found is taken. */
  readonly backend?: string;
  /** The model of that backend. Default: the CLI's own; of `native` one whose key is in the environment. */
  readonly model?: string;
}

/**
 * The model that is written for the backend, and for the built-in agent where its key is.
 *
 * @throws RalphError `init-backend` (exit code 2)
 */
export function chooseInitModel(order: InitBackendOrder): { readonly model: string | null; readonly native: NativeChoice | null } {
  const { backend, model, env } = order;
  if (backend !== undefined && backend !== NATIVE && !DETECTED_BACKENDS.some((type) => type === backend)) throw toUnknownBackend(backend);
  const native = backend === NATIVE ? chooseModel(model, env) : null;
  return { model: native?.model ?? readModel(order), native };
}

const NATIVE = 'native';

/** The model of an agent CLI, which alone knows whether there is one of that name. */
function readModel({ backend, model }: InitBackendOrder): string | null {
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

/** The models that `ralph init` offers for the built-in agent; those whose key is there come first. */
export function listNativeModels(env: InitBackendOrder['env']): readonly NativeChoice[] {
  const choices = Object.values(NATIVE_MODELS).map(({ model, keys }) => toChoice(model, keys, env));
  return [...choices.filter(({ hasKey }) => hasKey), ...choices.filter(({ hasKey }) => !hasKey)];
}

function toChoice(model: string, keys: readonly [string, ...string[]], env: InitBackendOrder['env']): NativeChoice {
  const found = keys.find((name) => (env[name] ?? '').trim() !== '');
  return { model, key: found ?? keys[0], hasKey: found !== undefined };
}

/** The built-in agent can only be written down with a model whose provider its name tells. */
function chooseModel(model: string | undefined, env: InitBackendOrder['env']): NativeChoice {
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

/** An installed agent that is not the one of the team. */
export function findOtherBackend({ cwd, env, backend }: InitBackendOrder): string | null {
  const agents = listAvailable(env['PATH'], cwd);
  const own = backend ?? agents[0];
  return agents.find((type) => type !== own) ?? null;
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
  const isProgram = backend.includes('/');
  const needsCommand = isProgram || backend === 'custom' || backend === 'acp';
  const near = findNearMiss(backend, [...DETECTED_BACKENDS, NATIVE]);
  const name = JSON.stringify(backend.slice(0, 60));
  return new RalphError({
    code: 'init-backend',
    what: isProgram
      ? `${JSON.stringify(backend.slice(0, 60))} is a program, not a backend.`
      : needsCommand
        ? `A ${backend} backend needs a command, which this cannot know.`
        : `There is no backend ${name}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`,
    fix: needsCommand
      ? `ralph init, then write into ralph.yml: cli: {backend: ${isProgram ? 'custom' : backend}, command: ${isProgram ? JSON.stringify(backend.slice(0, 200)) : './agent.sh'}}`
      : `Backends: ${[...DETECTED_BACKENDS, NATIVE].map(toListedBackend).join(', ')}.`,
    exitCode: 2,
  });
}
