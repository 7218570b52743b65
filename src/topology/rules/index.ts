/** Door to `topology/rules`: the rules of a flow that cannot get stuck, one file each, all asked by `validateTopology`. */
export { validateTopology } from './validate-topology.ts';
