import { createHash } from 'node:crypto'
import type { AnyEvent, Json } from '../../../shared/event.ts'
import { toolShape } from '../../../shared/tool-shape.ts'
import { outputText } from '../../decode/tool-result.ts'
import { restoredSteps } from '../../files/call-steps.ts'
import { FILE_RESTORED } from '../../../shared/own-deed.ts'
import { namesOfDiff } from '../../files/diff-steps.ts'
import { joinedPath } from '../../files/joined-path.ts'
import { nameAlone, pathsOfStep, touchesOf } from '../../files/touched-paths.ts'
import { settled } from '../identity/settled.ts'
import { contentReader } from '../log/contents.ts'
import { sightingReader, type Sighting } from '../log/log.ts'
import type { Projection } from './projection.ts'

/** What a row is about: a path, calls of a session that are needed whatever the path is, or what was seen around a call. */
export type Touched = 'path' | 'any' | 'failed' | 'moves' | 'seen' | 'no_other'

/** Returns the key of a path, or of a session's calls: six bytes, since equal keys only cost a look at the call. */
export const touchKey = (touched: Touched, of: string): number =>
  createHash('sha1').update(`${touched}\0${of}`).digest().readUIntBE(0, 6)

/**
 * The calls that may have touched a file, by its path, and results that show one. Drawn from what each event says alone;
 * whoever reads it looks at the calls. Raise `PROJECTION_RULES` if the steps of a call change.
 */
export const fileTouches: Projection = {
  name: 'file_touches',
  open({ prepare, prepareLog, tables: t }) {
    const insert = prepare(`INSERT INTO ${t.file_touches} (event_id, key) VALUES (?, ?)`)
    const remove = prepare(`DELETE FROM ${t.file_touches} WHERE event_id = ?`)
    const add = (event: AnyEvent) => {
      for (const key of new Set(keysOf(event))) insert.run(event.id, key)
    }
    const again = (event: AnyEvent, sightings: readonly Sighting[]) => {
      remove.run(event.id)
      add(settled(event, sightings))
    }
    const log = { prepare: prepareLog }
    const sightingsOf = sightingReader(log, contentReader(log))
    return {
      apply: add,
      reword: (event) => again(event, sightingsOf(event)),
      applySighting(event, sighting, before) {
        if (hasMore(event, sighting)) again(event, [...before, sighting])
      },
      loseSightings: again,
    }
  },
}

const hasMore = ({ kind }: AnyEvent, { payload }: Sighting): boolean =>
  (kind === 'tool_call' && payload?.['input'] !== undefined) ||
  (kind === 'tool_result' && payload?.['output'] !== undefined)

const isCut = (digest: Json): boolean => JSON.stringify(digest).includes('…')

function keysOf(event: AnyEvent): readonly number[] {
  if (event.kind === 'tool_result')
    return namesOfDiff(outputText(event.payload.output)).map((name) => touchKey('path', nameAlone(name)))
  if (event.kind === 'state_change' && event.payload.name === FILE_RESTORED)
    return restoredSteps(event.payload.to)
      .flatMap(pathsOfStep)
      .map((path) => touchKey('path', path))
  if (event.kind === 'file_seen') {
    const { path, why_not: why } = event.payload
    const call = event.parent_uuid ?? ''
    const about = why === 'no_other' ? touchKey('no_other', call) : touchKey('path', joinedPath(null, path) ?? path)
    return [touchKey('seen', call), about]
  }
  if (event.kind !== 'tool_call') return []
  const { tool_name: tool, digest } = event.payload
  const input = event.payload.input ?? digest ?? null
  const { paths, others, movesOn } = touchesOf(tool, input)
  const session = event.session_id
  // Of an archived call only the beginning stays: the rest of a command may have written any file.
  const may = input === digest && toolShape(tool, input).kind === 'command' && isCut(input) ? 'any' : others
  return [
    ...paths.map((path) => touchKey('path', path)),
    ...(may === 'none' ? [] : [touchKey(may, session)]),
    ...(movesOn ? [touchKey('moves', session)] : []),
  ]
}
