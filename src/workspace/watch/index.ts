/** Door to `workspace/watch`: what a hat changed that may not write, and taking it back. */
export { createTreeWatch, type TreeLook, type TreeWatch, watchPlainly } from './create-tree-watch.ts';
