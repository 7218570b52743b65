/**
 * Doors: a room's `index.ts` (or those of the sub-folders that the import table lists) says which of its names other rooms may use. Who uses one imports the file that holds it,
 * so that nobody pulls in what a door hands on beside it. In rooms whose every file is a door, all is for everybody.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { doorPattern, ROOMS, roomPattern } from './rooms.mjs';
import { listSources, ROOT } from './sources.mjs';

const TEST = /\.test\.tsx?$/;
const FIXTURES = /fixtures\.tsx?$/;
/** Stands for all names of a file. */
const WHOLE = '*';
/** Doors by which programs enter. */
const PUBLISHED = ['src/index.ts', 'src/testing/index.ts', 'src/replay/index.ts', 'src/mock-model/index.ts'];

// `loop/decide` comes before a room that would be called `loop`.
const LONGEST_FIRST = Object.keys(ROOMS).sort((a, b) => b.length - a.length);
const PATTERNS = LONGEST_FIRST.map((room) => ({ room, files: new RegExp(roomPattern(room)), doors: new RegExp(doorPattern(room)) }));

const findRoom = (path) => PATTERNS.find(({ files }) => files.test(path));
const isClosed = ({ room }) => ROOMS[room].doors !== 'files';

// The formatter writes imports in one way; parsing two thousand files for them would take seconds.
const AT_ONCE = /^(import|export) (type )?(?:\{([^}]*)\}|\*(?: as \w+)?) from '(\.[^']+)';/gm;
const LATER = /(?:\{([^{}]*)\} = await )?\bimport\('(\.[^']+)'\)(?:\)?\.(?!then\b)(\w+)|\['(\w+)'\])?/g;
const NAME = /^(type )?(\w+)(?:(?: as|:) (\w+))?$/;

/**
 * A name that a file takes from another of ours. `as`: the name under which it is handed on (`export { … } from`), else null. `isLater`: by `import(…)`.
 *
 * @typedef {{ line: number, target: string, name: string, as: string | null, isType: boolean, isLater: boolean }} Taken
 */

/** @returns {Taken[]} */
function readTaken(path) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const read = (match, specifier, names, rest) => {
    const place = { line: text.slice(0, match.index).split('\n').length, target: join(dirname(path), specifier) };
    return readNames(names).map(({ name, as, isType }) => ({
      ...place,
      name,
      isLater: rest.isLater,
      as: rest.isHandedOn ? as : null,
      isType: rest.isType || isType,
    }));
  };
  return [
    ...[...text.matchAll(AT_ONCE)].flatMap((match) => {
      const [, verb, type, names, specifier] = match;
      return read(match, specifier, names, { isHandedOn: verb === 'export', isType: type !== undefined, isLater: false });
    }),
    ...[...text.matchAll(LATER)].flatMap((match) => {
      const [, names, specifier, property, member] = match;
      return read(match, specifier, names ?? property ?? member, { isHandedOn: false, isType: false, isLater: true });
    }),
  ];
}

/** The names between braces; without braces, the whole. */
function readNames(list = WHOLE) {
  if (list === WHOLE) return [{ name: WHOLE, as: WHOLE, isType: false }];
  const items = list.split(',').map((item) => NAME.exec(item.trim()));
  return items.filter((item) => item !== null).map(([, type, name, as = name]) => ({ name, as, isType: type !== undefined }));
}

/** Names taken of another room that no door of it lists, and names taken from a door that only hands them on. */
function findUnlisted(path, taken, doors, listed) {
  return taken.flatMap(({ line, target, name, isLater }) => {
    const room = findRoom(target);
    if (room === undefined || room === findRoom(path) || !isClosed(room) || FIXTURES.test(target)) return [];
    if (name === WHOLE)
      return doors.has(target) ? [] : [`${path}:${line}: take the names that are wanted of ${target}, or all of a door of ${room.room}`];
    const held = doors.get(target)?.find(({ as }) => as === name);
    if (held !== undefined && !isLater && !TEST.test(path)) return [`${path}:${line}: import ${name} from ${held.target}, which holds it`];
    if (doors.has(target) || listed.has(`${target} ${name}`)) return [];
    return [
      `${path}:${line}: ${name} of ${target} is not for other rooms: no door of ${room.room} lists it (src/${room.room}/**/index.ts)`,
    ];
  });
}

/** Functions and constants that a door lists and no other room, suite or benchmark takes. Types stand there for whoever must name what a function takes. */
function findUnwanted(takenBy, doors) {
  const wanted = new Set(PUBLISHED.map((path) => `${path} ${WHOLE}`));
  for (const [path, taken] of takenBy) {
    for (const { target, name } of taken) if (findRoom(path) !== findRoom(target)) wanted.add(`${target} ${name}`);
  }
  return [...doors].flatMap(([path, handed]) =>
    handed
      .filter(({ isType, target, name, as }) => {
        const ways = [`${path} ${as}`, `${path} ${WHOLE}`, `${target} ${name}`, `${target} ${WHOLE}`];
        return !isType && !ways.some((way) => wanted.has(way));
      })
      .map(({ line, as }) => `${path}:${line}: no other room takes ${as}`),
  );
}

/** @returns {string[]} what is wrong with the doors and with who passes them by, a line each */
export function findDoorProblems() {
  const paths = listSources(['src', 'test', 'bench'], ['.ts', '.tsx', '.mjs']);
  const takenBy = new Map(paths.map((path) => [path, readTaken(path)]));
  const doors = new Map();
  for (const [path, taken] of takenBy) {
    const room = findRoom(path);
    if (room !== undefined && isClosed(room) && room.doors.test(path))
      doors.set(
        path,
        taken.filter(({ as }) => as !== null),
      );
  }
  const listed = new Set([...doors.values()].flat().map(({ target, name }) => `${target} ${name}`));
  const product = [...takenBy].filter(([path]) => path.startsWith('src/'));
  return [...product.flatMap(([path, taken]) => findUnlisted(path, taken, doors, listed)), ...findUnwanted(takenBy, doors)];
}
