import type { ShapeBlock } from '../../shared/request-shape.ts'
import { contentOf } from './request-blocks.ts'

/** Bytes of a block of text besides its text. */
const FRAME_BYTES = JSON.stringify({ type: 'text', text: '' }).length
/** Line ends between two parts that are joined, as JSON escapes them. */
const JOINTS = [0, 2, 4]

/** Says that blocks have as much text as before between other borders: a client split or joined it. Null if they have not. */
export function changedBorders(before: readonly ShapeBlock[], now: readonly ShapeBlock[]): string | null {
  const isEqual = (one: ShapeBlock | undefined, other: ShapeBlock | undefined) =>
    one !== undefined && other !== undefined && contentOf(one) === contentOf(other)
  const [start, end] = [
    before.findIndex((block, at) => !isEqual(block, now[at])),
    before.toReversed().findIndex((block, at) => !isEqual(block, now.at(-1 - at))),
  ]
  if (start < 0 || end < 0) return null
  const [old, current] = [before, now].map((blocks) => blocks.slice(start, blocks.length - end).map(textBytes))
  if (old === undefined || current === undefined || old.length === 0 || current.length === 0) return null
  if (old.length === current.length && old.every((bytes, at) => bytes === current[at])) return null
  const added = Math.abs(old.length - current.length)
  const difference = Math.abs(sum(old) - sum(current))
  return JOINTS.some((bytes) => difference === bytes * added)
    ? `the same length of text in other blocks: ${old.length} → ${current.length}`
    : null
}

/** NaN for a block that is not a text, so that a sum with it equals nothing. */
const textBytes = ({ kind, bytes }: ShapeBlock): number =>
  kind === 'text' && bytes !== null ? bytes - FRAME_BYTES : Number.NaN

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
