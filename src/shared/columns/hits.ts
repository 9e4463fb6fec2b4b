import type { Hit } from '../contract/recall.ts'
import { tableOf } from './column.ts'

/** Hits of a search, as files have them. */
export const hitsTable = tableOf<Hit>()({
  columns: {},
  file: ['timestamp', 'match_type', 'project', 'session_id', 'turn_id', 'uuid', 'content'],
})
