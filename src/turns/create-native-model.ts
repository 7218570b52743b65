import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createLibraryModel } from '../agent/providers/library-model.ts';
import { createScriptedModel, type ModelScript, parseScript } from '../agent/providers/scripted-model.ts';
import type { ModelPlace } from '../agent/session/agent-turn.ts';
import { findGuidePage } from '../config/layers/package-files.ts';
import { parseYamlText } from '../config/yaml/parse-yaml.ts';
import type { BackendSpec, NativeSpec } from '../core/backends/backend-spec.ts';
import { isRalphError, RalphError, toErrorCode } from '../core/values/errors.ts';
import { toTextHash } from '../core/values/hash.ts';
import type { Json } from '../core/values/json.ts';
import type { Model } from '../ports/model.ts';

/** What is configured of a native agent. Throws RalphError `native-incomplete`. */
export function requireNative({ native }: BackendSpec): NativeSpec {
  if (native !== undefined) return native;
  throw toIncomplete('The native agent has no model.');
}

function toIncomplete(what: string): RalphError {
  return new RalphError({
    code: 'native-incomplete',
    what,
    fix: 'Write for example: backend: {type: native, provider: anthropic, model: claude-sonnet-4-5}',
  });
}

/**
 * Makes the model of a native agent.
 *
 * @throws RalphError `native-incomplete`, `native-key`, `native-packages`, `native-script`
 */
export async function createNativeModel(workspace: string, { native, model }: BackendSpec, place: ModelPlace): Promise<Model> {
  const { provider, script, baseUrl, apiKeyEnv, effort } = requireNative({ native } as BackendSpec);
  if (provider === 'scripted') return createScriptedModel(readScript(workspace, script), place);
  if (model === undefined) throw toIncomplete(`The native agent has no model of ${provider}.`);
  const settings = {
    kind: provider,
    model,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(effort === undefined ? {} : { effort }),
    ...toCacheKey(place),
  };
  return createLibraryModel(settings, place.env);
}

/** The same for all turns of a hat in a run: they begin alike, and nobody else's do. No name goes to the provider. */
function toCacheKey({ hat, env }: ModelPlace): { readonly cacheKey?: string } {
  const { RALPH_RUN_ID: run } = env;
  return run === undefined ? {} : { cacheKey: `ralph-${toTextHash(`${run} ${hat}`)}` };
}

function readScript(workspace: string, file: string | undefined): ModelScript {
  if (file === undefined) throw toIncomplete('The scripted model has no script.');
  const parsed = parseScript(readYaml(file, resolve(workspace, file)));
  if (parsed.ok) return parsed.value;
  throw toScriptError(file, parsed.refused);
}

function readYaml(shown: string, path: string): Json {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw toScriptError(shown, `it cannot be read (${toErrorCode(error)})`);
  }
  try {
    return parseYamlText(text, shown);
  } catch (error) {
    throw toScriptError(shown, isRalphError(error) ? [error.message, error.fix].filter(Boolean).join('\n') : String(error));
  }
}

function toScriptError(file: string, problem: string): RalphError {
  return new RalphError({
    code: 'native-script',
    what: `${file} cannot be played: ${problem}`,
    why: 'A scripted model says what is written there.',
    fix: `What a script holds: ${findGuidePage('native-agent')}`,
  });
}
