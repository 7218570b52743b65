import type { Settings } from '../config/index.ts';
import { type BackendSpec, NO_TOOLS_SPEC, PESSIMISTIC_HINTS, type ToolCard } from '../core/index.ts';
import { listRunTools, withPluginFiles } from './plugin-files.ts';
import { toQualityOfGates } from './quality-of-gates.ts';

/** The tools of a configuration as they are here, on this machine, with this environment. */
export interface ToolSurvey {
  /** Those beside the built-in ones. */
  readonly cards: readonly ToolCard[];
  /** By name, why the native agent is not offered a tool whatever its profile says. */
  readonly missing: Readonly<Record<string, string>>;
}

/**
 * Looks which tools the native agent would have. Modules of `tools.plugins` are loaded, nobody is asked anything.
 *
 * @param spec the backend in whose environment keys are looked for; absent: only the one of this process
 * @throws RalphError `plugin-file`, `tool-invalid`, `tool-twice`
 */
export async function surveyTools(
  settings: Settings,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  spec?: BackendSpec,
): Promise<ToolSurvey> {
  const [{ createBuiltInTools, createSearch, toPluginTool }, ready] = await Promise.all([
    import('../agent/index.ts'),
    withPluginFiles(settings, place.cwd),
  ]);
  const env = { ...place.env, ...spec?.env };
  const { search } = settings.tools ?? NO_TOOLS_SPEC;
  const facts = { env, quality: toQualityOfGates(settings.spec.gates), search: search === null ? null : createSearch(search, env) };
  const own = listRunTools(ready);
  const missing = [...createBuiltInTools([]), ...own.map(toPluginTool)].flatMap((tool) => {
    const why = tool.whyMissing?.(facts) ?? null;
    return why === null ? [] : [[tool.name, why] as const];
  });
  return {
    cards: own.map(({ name, group, description, hints }) => ({ name, group, description, hints: { ...PESSIMISTIC_HINTS, ...hints } })),
    missing: Object.fromEntries(missing),
  };
}
