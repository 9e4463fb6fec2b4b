import { AspyError } from '../../../shared/contract/errors.ts'
import type { RequestDiff } from '../../../shared/contract/cache.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import type { JsonObject } from '../../../shared/event.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { diffBlocks, type BlockChange } from '../../ledger/diff.ts'
import { createCacheBlocks } from '../../store/projections/cache-blocks.ts'
import { cacheRowOf } from '../../store/read/cache.ts'
import { requireEventRow } from '../../store/read/events.ts'
import { storedPayload } from '../../store/read/requests.ts'
import type { Reader } from '../../store/read/reader.ts'
import { costsOf } from './requests.ts'
import { firstDifference } from '../../../shared/first-difference.ts'

const MAX_ITEMS = 500
const MAX_CHARACTERS = 20_000

export const requestDiff: ReaderHandler<'requests.diff'> = (reader, { uuid, against }) => {
  const row = requireEventRow(reader, uuid)
  if (row.kind !== 'model_request') throw new AspyError('not_found', `${uuid} is not an API request`)
  const judged = cacheRowOf(reader, uuid)
  const other = against ?? judged?.before ?? null
  const cause =
    judged === undefined || judged.kind === null
      ? null
      : { kind: judged.kind, where: judged.place, detail: judged.detail }
  const known = { uuid, cause, ...costsOf(reader, [row])(row) }
  if (other === null) return { ...known, against: null, parameters: [], items: [], partial: false }
  if (requireEventRow(reader, other).kind !== 'model_request')
    throw new AspyError('not_found', `${other} is not an API request`)
  const source = createCacheBlocks((id) => storedPayload(reader, id))
  const [before, now] = [source.of(other), source.of(uuid)]
  if (before === null || now === null)
    throw new AspyError('gone', `the blocks of request ${before === null ? other : uuid} are not stored any more`)
  const changes = diffBlocks(before, now)
  return {
    ...known,
    against: other,
    parameters: changedParameters(
      { ...before.shape.parameters, speed: before.shape.speed, betas: before.shape.betas },
      { ...now.shape.parameters, speed: now.shape.speed, betas: now.shape.betas },
    ),
    items: changes.slice(0, MAX_ITEMS).map((change) => itemOf(reader, change)),
    partial: changes.length > MAX_ITEMS,
  }
}

function itemOf(reader: Reader, { change, at, blocks, before, after }: BlockChange): RequestDiff['items'][number] {
  const block = after ?? before
  const textOf = (hash: string | undefined) => (hash === undefined || change === 'equal' ? null : reader.content(hash))
  const [old, current] = [textOf(before?.hash), textOf(after?.hash)]
  return {
    change,
    at,
    kind: block?.kind ?? 'unknown',
    tool: block?.tool ?? null,
    blocks,
    first_difference: old === null || current === null || old === current ? null : firstDifference(old, current),
    before: cut(old),
    after: cut(current),
  }
}

const cut = (text: string | null) => (text === null ? null : firstCharacters(text, MAX_CHARACTERS))

function changedParameters(before: JsonObject, now: JsonObject): RequestDiff['parameters'] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort()
  const jsonOf = (values: JsonObject, name: string) =>
    values[name] === undefined ? null : JSON.stringify(values[name])
  return names
    .map((name) => ({ name, before: jsonOf(before, name), after: jsonOf(now, name) }))
    .filter(({ before: old, after }) => old !== after)
}
