import type { Settings } from '../config/index.ts';
import { findSearchKeyName, isRalphError } from '../core/index.ts';
import { type CheckRequest, checkConfig } from '../validation/index.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { withPluginFiles } from './plugin-files.ts';

type ToolsRequest = CheckRequest & { readonly env: Readonly<Record<string, string>> };
type Search = NonNullable<NonNullable<Settings['tools']>['search']>;

/** Whether what the configuration says of tools is there: the key of the search, the files of tools. Nobody is asked anything, and no module runs. */
export async function checkTools(request: ToolsRequest): Promise<readonly DoctorCheck[]> {
  const settings = readSettings(request);
  if (settings?.tools === undefined) return [];
  const { search, plugins } = settings.tools;
  return [
    ...(search === null ? [] : [await checkSearch(search, request.env)]),
    ...(Object.keys(plugins).length === 0 ? [] : [checkPlugins(settings, request.cwd)]),
  ];
}

function readSettings(request: ToolsRequest): Settings | null {
  try {
    return checkConfig({ ...request, prompt: 'optional' }).settings;
  } catch {
    // What is wrong with the configuration is told by another check.
    return null;
  }
}

async function checkSearch(search: Search, env: ToolsRequest['env']): Promise<DoctorCheck> {
  const { createSearch } = await import('../agent/index.ts');
  const { whyMissing } = createSearch(search, env);
  const variable = findSearchKeyName(search);
  if (whyMissing === null) {
    const text = variable === null ? `${search.provider}, which needs no key` : `${search.provider}: its key is there`;
    return { name: 'web_search', status: 'ok', text };
  }
  return {
    name: 'web_search',
    status: 'warning',
    text: whyMissing,
    fix: `Hats with the native agent do not get web_search. To have it: export ${variable}=…`,
  };
}

function checkPlugins(settings: Settings, cwd: string): DoctorCheck {
  const names = Object.keys(settings.tools?.plugins ?? {});
  try {
    withPluginFiles(settings, cwd);
    return { name: 'tools', status: 'ok', text: `the files of ${names.join(', ')} are there; what is in them: ralph tools` };
  } catch (error) {
    if (!isRalphError(error)) throw error;
    return { name: 'tools', status: 'problem', text: error.message, fix: 'Correct `tools.plugins`: no run starts without.' };
  }
}
