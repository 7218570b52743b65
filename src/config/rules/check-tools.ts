import type { Finding } from '../../core/schema/finding.ts';
import { BUILT_IN_CARDS } from '../../core/tools/built-in-cards.ts';
import { checkToolCard } from '../../core/tools/plugin-tool.ts';
import { findSearchKeyName } from '../../core/tools/tools-spec.ts';
import { tryOr } from '../../core/values/result.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic, Path } from '../findings/located.ts';
import { findingAt, hideLogin, type RuleInput, readWebAddress, withoutExcerpt } from './rule.ts';

/** A host as an address of the web has it: a name or numbers, IPv6 in brackets, perhaps with a port. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const VARIABLES = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** `tools:` names hosts, variables, addresses and modules that can be used. */
export function checkTools(input: RuleInput): readonly Diagnostic[] {
  const { tools } = input.declared;
  if (tools === undefined) return [];
  const judge = (list: 'private_hosts' | 'pass_env', isRight: (word: string) => boolean, toFinding: (word: string) => Finding) =>
    (tools[list] ?? []).flatMap((word, index) =>
      isRight(word) ? [] : [findingAt(input, input.toItemPath(['tools', list], index), toFinding(word))],
    );
  return [
    ...checkSearch(input),
    ...judge('private_hosts', (word) => HOST.test(word), toHostFinding),
    ...judge('pass_env', (word) => VARIABLES.test(word), toVariableFinding),
    ...checkPlugins(input),
  ];
}

function checkSearch(input: RuleInput): readonly Diagnostic[] {
  const search = input.declared.tools?.search;
  const path = ['tools', 'search'];
  if (search?.provider === undefined || input.isBroken(path)) return [];
  const { provider, base_url: address, api_key_env: variable } = search;
  const tell = (key: string, message: string, fix: string): readonly Diagnostic[] => [
    findingAt(
      input,
      key === '' ? path : [...path, key],
      toFinding(message, 'Whoever calls `web_search` would be told of an error.', fix),
      'value',
    ),
  ];
  if (variable !== undefined && !VARIABLE.test(variable)) {
    // What stands there is likely to be the key itself: it is not shown.
    return tell(
      'api_key_env',
      'That is not the name of an environment variable.',
      'Write its name, such as `BRAVE_API_KEY`; the key stays in the environment.',
    ).map(withoutExcerpt);
  }
  if (address === undefined) {
    if (provider !== 'searxng') return [];
    return tell('', 'Nobody knows where your SearXNG is.', 'Write its address: `{provider: searxng, base_url: "http://localhost:8888"}`');
  }
  if (!isAddress(address)) {
    const found = tell(
      'base_url',
      `${quote(hideLogin(address))} is not the address of a search.`,
      'Write `https://host/path`, without a name, a password or a `?`.',
    );
    return hideLogin(address) === address ? found : found.map(withoutExcerpt);
  }
  const hasKey = findSearchKeyName({ provider, ...(variable === undefined ? {} : { apiKeyEnv: variable }) }) !== null;
  if (!hasKey || !isOpen(address)) return [];
  return tell(
    'base_url',
    'The key would go over the network where everybody on the way can read it.',
    'Write `https://…`; http is for this machine only.',
  );
}

function isAddress(text: string): boolean {
  const address = readWebAddress(text);
  return address !== null && `${address.username}${address.password}${address.search}${address.hash}` === '';
}

function isOpen(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !LOOPBACK.includes(hostname);
}

function checkPlugins(input: RuleInput): readonly Diagnostic[] {
  return Object.entries(input.declared.tools?.plugins ?? {}).flatMap(([name, file]) => {
    const path = ['tools', 'plugins', name];
    if (input.isBroken(path)) return [];
    if (!isToolName(name)) return [tellPlugin(input, path, `${quote(name)} cannot be the name of a tool.`, NAME_FIX, 'key')];
    if (BUILT_IN_CARDS.some((card) => card.name === name)) {
      return [tellPlugin(input, path, `There is a built-in tool called ${quote(name)}.`, 'Give yours another name.', 'key')];
    }
    if (/\.[cm]?js$/.test(file)) return [];
    return [tellPlugin(input, path, `${quote(file)} is no JavaScript module.`, 'Name a file that ends with `.mjs` or `.js`.', 'value')];
  });
}

const NAME_FIX = 'Take letters, digits and `_`, at most 64 of them, no digit first, and not `mcp__` as beginning.';

function tellPlugin(input: RuleInput, path: Path, message: string, fix: string, part: 'key' | 'value'): Diagnostic {
  return findingAt(
    input,
    path,
    toFinding(message, 'A model calls tools by their names, and Ralph loads them from their files.', fix),
    part,
  );
}

function isToolName(name: string): boolean {
  return tryOr(() => {
    checkToolCard({ name, group: 'runtime' });
    return !name.startsWith('mcp__');
  }, false);
}

function toHostFinding(host: string): Finding {
  return toFinding(
    `${quote(hideLogin(host))} is no host.`,
    'Only hosts that are named one by one are opened: behind each private address there may be somebody who trusts all neighbours.',
    'Write `wiki.example:8080`; without a port 80 and 443 are meant.',
  );
}

function toVariableFinding(name: string): Finding {
  return toFinding(
    name === '*'
      ? 'All variables would be given to programs that a model starts.'
      : `${quote(name)} is no name of an environment variable.`,
    'What programs get, an agent can read.',
    'Name the variables that the project needs, such as `DATABASE_URL` or `MY_APP_*`.',
  );
}

function toFinding(message: string, why: string, fix: string): Finding {
  return { code: 'tools-invalid', severity: 'error', message, why, fix };
}
