import type { ShapeBlock } from '../../shared/request-shape.ts'

const MAX_NAMES = 5

/** Describes the difference between two lists of tools by name. */
export function toolChanges(before: readonly ShapeBlock[], now: readonly ShapeBlock[]): string {
  const nameOf = (block: ShapeBlock) => block.tool ?? block.kind
  const [old, current] = [
    new Map(before.map((block) => [nameOf(block), block.hash])),
    new Map(now.map((block) => [nameOf(block), block.hash])),
  ]
  const names = [...current.keys()]
  const added = names.filter((name) => !old.has(name))
  const removed = [...old.keys()].filter((name) => !current.has(name))
  const changed = names.filter((name) => old.has(name) && old.get(name) !== current.get(name))
  const [oldOrder, order] = [[...old.keys()].filter((name) => current.has(name)), names.filter((name) => old.has(name))]
  const moved = order.filter((name, at) => oldOrder[at] !== name)
  return Object.entries({ added, removed, changed, 'in another place': moved })
    .flatMap(([what, list]) => (list.length === 0 ? [] : [`${what}: ${some(list)}`]))
    .join('; ')
}

function some(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
