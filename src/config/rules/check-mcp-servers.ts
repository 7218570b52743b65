import type { Finding } from '../../core/schema/finding.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { findingAt, hideLogin, type RuleInput, readWebAddress, withoutExcerpt } from './rule.ts';

/** What the name of a server may be: it is part of the names of its tools, which providers keep to 64 characters. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,29}$/;

/** Every MCP server can be reached in exactly one way. */
export function checkMcpServers(input: RuleInput): readonly Diagnostic[] {
  return Object.entries(input.declared.mcp_servers ?? {}).flatMap(([name, server]) => {
    const path = ['mcp_servers', name];
    if (!NAME.test(name) || name.includes('__')) return [findingAt(input, path, toNameFinding(name), 'key')];
    if (input.isBroken(path)) return [];
    const { command, url } = server;
    if ((command === undefined) === (url === undefined)) return [findingAt(input, path, toWayFinding(name, command !== undefined), 'key')];
    if (url === undefined || isAddress(url)) return [];
    const found = findingAt(input, [...path, 'url'], toAddressFinding(url));
    return [hideLogin(url) === url ? found : withoutExcerpt(found)];
  });
}

function isAddress(url: string): boolean {
  const address = readWebAddress(url);
  return address !== null && `${address.username}${address.password}` === '';
}

function toNameFinding(name: string): Finding {
  return {
    code: 'mcp-server-invalid',
    severity: 'error',
    message: `${quote(name)} cannot be the name of an MCP server.`,
    why: 'Its tools are called `mcp__NAME__TOOL`, and providers take letters, digits, `_` and `-` in the name of a tool.',
    fix: 'Take at most 30 of these characters, without `__`, such as `docs`.',
  };
}

function toWayFinding(name: string, hasBoth: boolean): Finding {
  return {
    code: 'mcp-server-invalid',
    severity: 'error',
    message: hasBoth ? `The MCP server ${quote(name)} has a command and an address.` : `The MCP server ${quote(name)} cannot be reached.`,
    why: hasBoth ? 'It is either started or called.' : 'It needs a program that is started, or an address.',
    fix: 'Write either `command: npx` with `args: […]`, or `url: https://…`.',
  };
}

function toAddressFinding(url: string): Finding {
  return {
    code: 'mcp-server-invalid',
    severity: 'error',
    message: `${quote(hideLogin(url))} is not the address of an MCP server.`,
    why: 'It is reached by HTTP, and what is secret does not belong into an address.',
    fix: 'Write `https://host/path`; a token goes into an environment variable that `token_env` names.',
  };
}
