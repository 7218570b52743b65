// Generated rules: the import table itself is in scripts/rooms.mjs.
import { doorPattern, ROOMS, roomPattern } from './scripts/rooms.mjs';

const rooms = Object.keys(ROOMS);
const pureRooms = rooms.filter((room) => ROOMS[room].pure).map(roomPattern);

const TESTS = '\\.test\\.ts$';
/** Sample values for tests, beside the code they are samples of: `fixtures.ts` or `<subject>-fixtures.ts`. */
const FIXTURES = 'fixtures\\.ts$';
const CORE_FIXTURES = `^src/core/.*${FIXTURES}`;
/** Samples that tests and fixtures of other rooms build on. */
const SHARED_FIXTURES = `^src/(core|fleet|fleet-runs|git|views)/.*${FIXTURES}`;
const TEST_PACKAGES = 'node_modules/(vitest|fast-check)/';
const ANY_ROOM = '^src/(loop/[^/]+|panel/decide|[^/]+)/';
/** The files by which rooms are entered. */
const DOORS = Object.keys(ROOMS).map(doorPattern);
const PACKAGES = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg'];

/** Rooms may import themselves, the front doors in their row and nothing else of ours. */
function rowRule(room) {
  const allowed = [roomPattern(room), ...ROOMS[room].mayImport.map(roomPattern)];
  return {
    name: `${room.replace('/', '-')}-may-import`,
    comment: `${room} may import: ${ROOMS[room].mayImport.join(', ') || 'nothing'} (scripts/rooms.mjs)`,
    severity: 'error',
    from: { path: roomPattern(room), pathNot: TESTS },
    to: { path: '^(src|test|bench|scripts|bin|web)/', pathNot: allowed },
  };
}

/** A sub-folder of a room imports, of that room, only itself and those before it. */
function folderRules(room) {
  const { folders = [] } = ROOMS[room];
  return folders.map((folder, index) => ({
    name: `${room.replace('/', '-')}-${folder.replace('/', '-')}-may-import`,
    comment: `src/${room}: ${folders.join(' <- ')} (scripts/rooms.mjs)`,
    severity: 'error',
    from: { path: `^src/${room}/${folder}/`, pathNot: [TESTS, FIXTURES] },
    to: { path: `^src/${room}/`, pathNot: folders.slice(0, index + 1).map((known) => `^src/${room}/${known}/`) },
  }));
}

/** Tests see what their room sees, and the fixtures of core. */
function testRowRule(room) {
  const allowed = [roomPattern(room), ...ROOMS[room].mayImport.map(roomPattern), doorPattern('core'), CORE_FIXTURES];
  return {
    ...rowRule(room),
    name: `${room.replace('/', '-')}-tests-may-import`,
    from: { path: `${roomPattern(room).replace(/\$$/, '')}.*${TESTS}` },
    to: { path: '^(src|test|bench|scripts|bin|web)/', pathNot: allowed },
  };
}

const generalRules = [
  {
    name: 'no-cycle',
    comment: 'No import cycles, types included.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'shared-fixtures-only',
    comment:
      'Tests take the samples of their own room, and those of core, fleet, fleet-runs, git and views. What they take of the product of other rooms, scripts/doors.mjs looks at.',
    severity: 'error',
    from: { path: ANY_ROOM },
    to: { path: `^src/.*${FIXTURES}`, pathNot: ['^src/$1/', SHARED_FIXTURES] },
  },
  {
    name: 'outside-front-door-only',
    comment: 'The suites and the benchmarks enter a room by its doors.',
    severity: 'error',
    from: { path: '^(test|bench)/' },
    to: { path: ANY_ROOM, pathNot: [...DOORS, SHARED_FIXTURES] },
  },
  {
    name: 'fixtures-for-tests-only',
    comment: 'Fixtures and test packages are no part of the product.',
    severity: 'error',
    from: { path: '^src/', pathNot: [TESTS, FIXTURES] },
    to: { path: [FIXTURES, TESTS, TEST_PACKAGES] },
  },
  {
    name: 'pure-rooms-no-io',
    comment: 'A pure room imports no Node module.',
    severity: 'error',
    from: { path: pureRooms, pathNot: TESTS },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'pure-rooms-no-packages',
    comment: 'A pure room imports no package.',
    severity: 'error',
    from: { path: pureRooms, pathNot: TESTS },
    to: { dependencyTypes: PACKAGES, pathNot: [TEST_PACKAGES] },
  },
  {
    name: 'yaml-in-config-only',
    comment: 'config is the only room that sees YAML.',
    severity: 'error',
    from: { path: '^src/', pathNot: ['^src/config/', TESTS] },
    to: { path: 'node_modules/(yaml|js-yaml)/' },
  },
  {
    name: 'resolvable',
    comment: 'Every import leads to a file or to a package in package.json.',
    severity: 'error',
    from: {},
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
  },
];

export default {
  forbidden: [
    ...rooms.map(rowRule),
    ...rooms.flatMap(folderRules),
    ...rooms.filter((room) => room !== 'index').map(testRowRule),
    ...generalRules,
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules|^dist/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
