import { NO_TOOLS_SPEC, type ToolsSpec } from '../core/index.ts';
import type { Declared } from './settings-table.ts';

/** What was declared of the tools, complete. */
export function compileTools({ tools }: Declared): ToolsSpec {
  const { search, private_hosts: hosts = [], pass_env: passEnv = [], protected_branches: branches, plugins } = tools ?? {};
  return {
    search: search?.provider === undefined ? null : toSearch({ ...search, provider: search.provider }),
    privateHosts: [...new Set(hosts.flatMap(toHostsAndPorts))],
    passEnv: [...new Set(passEnv)],
    protectedBranches: branches === undefined ? NO_TOOLS_SPEC.protectedBranches : [...new Set(branches)],
    plugins: { ...plugins },
  };
}

type Search = NonNullable<NonNullable<Declared['tools']>['search']>;

function toSearch({
  provider,
  base_url: baseUrl,
  api_key_env: apiKeyEnv,
}: Required<Pick<Search, 'provider'>> & Search): ToolsSpec['search'] {
  return { provider, ...(baseUrl === undefined ? {} : { baseUrl }), ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }) };
}

function toHostsAndPorts(written: string): readonly string[] {
  const host = written.toLowerCase();
  return /:\d+$/.test(host) ? [host] : [`${host}:80`, `${host}:443`];
}
