import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_CARDS } from '../../src/core/tools/built-in-cards.ts';
import { TOOL_GROUPS } from '../../src/core/tools/tool-card.ts';
import { BUILT_IN_POLICIES } from '../../src/core/tools/tool-profiles.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/guide/tools.md', import.meta.url)), 'utf8');

/** The words in backticks of the cell behind a name. */
function listCell(name: string): readonly string[] {
  const row = new RegExp(`^\\| \`${name}\` \\| ([^|]*) \\|`, 'm').exec(PAGE)?.[1] ?? '';
  return [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
}

describe('docs/guide/tools.md', () => {
  test.each([...TOOL_GROUPS, 'coordination'])('lists the tools of %s, and no others', (group) => {
    expect([...listCell(group)].sort()).toEqual(BUILT_IN_CARDS.flatMap((card) => (card.group === group ? [card.name] : [])).sort());
  });

  test.each(Object.entries(BUILT_IN_POLICIES))('says what the profile %s allows', (name, { allow, requireReadOnly }) => {
    expect(listCell(name)).toEqual(allow);
    expect(new RegExp(`^\\| \`${name}\` .*read-only`, 'm').test(PAGE)).toBe(requireReadOnly);
  });
});
