import { RalphError } from './errors.ts';
import { TOOL_GROUPS } from './tool-card.ts';
import { COORDINATION_GROUP } from './tool-profiles.ts';

/** What every provider takes as the name of a tool. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const SERVER_GROUP = /^mcp:[A-Za-z0-9_-]{1,40}$/;

/**
 * Refuses a card that no tool can have.
 *
 * @throws RalphError `tool-invalid`
 */
export function checkToolCard({ name, group }: { readonly name: unknown; readonly group: unknown }): void {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new RalphError({
      code: 'tool-invalid',
      what: `${JSON.stringify(String(name).slice(0, 80))} cannot be the name of a tool.`,
      why: 'Providers take letters, digits, `_` and `-`, at most 64 of them, and no digit first.',
      fix: 'Give the tool another name.',
    });
  }
  if (typeof group === 'string' && isToolGroup(group)) return;
  throw new RalphError({
    code: 'tool-invalid',
    what: `The tool ${name} is in the group ${JSON.stringify(String(group).slice(0, 80))}, which there is not.`,
    why: 'Profiles let tools in by their group.',
    fix: `Take one of: ${TOOL_GROUPS.join(', ')}.`,
  });
}

function isToolGroup(group: string): boolean {
  return group === COORDINATION_GROUP || (TOOL_GROUPS as readonly string[]).includes(group) || SERVER_GROUP.test(group);
}

/** What is said where a name is given to a second tool. */
export function createToolTwiceError(name: string): RalphError {
  return new RalphError({
    code: 'tool-twice',
    what: `There are two tools called ${name}.`,
    why: 'A model calls tools by name: nobody could say which is meant.',
    fix: 'Give one of them another name.',
  });
}
