// biome-ignore-start lint/suspicious/noMisleadingCharacterClass: single code points that file systems leave out of a name
/** What HFS+ does not see in a name: joiners, marks of direction, the byte order mark. */
const UNSEEN = /[\u00AD\u034F\u061C\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/gu;
// biome-ignore-end lint/suspicious/noMisleadingCharacterClass: see above

/**
 * A name as the most forgiving file system takes it: without case, in compatibility form, without characters that are not seen, without dots and
 * blanks at its end, without the name of a stream. Two names that any system could take for one have one folded form.
 */
export function foldName(name: string): string {
  const seen = name.normalize('NFKC').replace(UNSEEN, '').toLowerCase().normalize('NFKC');
  const withoutStream = seen.replace(/:.*$/s, '');
  return withoutStream.replace(/[. ]+$/, '');
}

/**
 * True for a name that leads into a repository of git on some system: `.git` in every spelling, and the short name that Windows gives it.
 * Where a system tells the spellings apart, the other ones are refused all the same.
 */
export function isGitName(name: string): boolean {
  const folded = foldName(name);
  return folded === '.git' || /^git~\d+$/.test(folded);
}
