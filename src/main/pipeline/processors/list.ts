import type { Processor } from '../processor.ts'

/** The built-in processors, in the order in which events pass them. */
export const PROCESSORS: readonly Processor[] = []
