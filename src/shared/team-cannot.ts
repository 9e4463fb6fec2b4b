const NO_BODIES = 'bodies of requests never leave the laptop that recorded them'
const DERIVED = 'it is derived on each laptop; the events are here'
const OWN = 'only the laptop that recorded it can change it'

/** Reasons why a team's history cannot answer an operation, by the beginning of its name. */
const REASONS: readonly (readonly [string, string])[] = [
  ['carry.', `what was carried is read from bodies of requests, and ${NO_BODIES}`],
  ['requests.', NO_BODIES],
  ['compactions.', `what a compaction dropped is read from bodies of requests, and ${NO_BODIES}`],
  ['served.', `what was asked for is read from bodies of requests, and ${NO_BODIES}`],
  ['receipt', 'a receipt needs the prices and tiers of each call, and a team has costs only; see costs.breakdown'],
  ['advice.', 'suggestions are drawn from requests, files and settings of each laptop'],
  ['budgets.', 'budgets are settings of each laptop'],
  ['guard.', 'the guard runs on each laptop'],
  ['sessions.reconcile', 'it compares with the client on the same laptop'],
  ['sessions.resume', 'what is needed to continue a session is on the laptop where it ran'],
  ['sessions.page', 'it is written on the laptop where the session ran'],
  ['sessions.label', 'titles, tags and stars are personal'],
  ['sessions.tags', 'titles, tags and stars are personal'],
  ['sessions.delete', OWN],
  ['sessions.status', DERIVED],
  ['sessions.turn', DERIVED],
  ['sessions.unproven', DERIVED],
  ['sessions.kept', DERIVED],
  ['sessions.footprint', DERIVED],
  ['stats.analytics', DERIVED],
  ['costs.spent', DERIVED],
  ['recall.pack', DERIVED],
  ['recall.caller', DERIVED],
  ['recall.months', DERIVED],
  ['usage.export', DERIVED],
  ['images.', 'pictures never leave the laptop that recorded them'],
  ['events.export', 'each laptop exports its own history'],
  ['events.post', OWN],
  ['redaction.', OWN],
  ['people.export', 'what a person wrote down is personal and never sent'],
  ['notices.', 'notices are about one laptop'],
  ['demo.', 'the demo runs on each laptop'],
  ['agents.', 'how agents started and ended is derived on each laptop; their events are here'],
  ['files.', 'files are on the laptop whose calls wrote them'],
  ['tasks.', 'task lists are derived on each laptop; their events are here'],
  ['memories.', 'memories are personal and never sent'],
  ['episodes.', 'digests of sessions are derived on each laptop'],
  ['searches.', 'saved searches are personal and never sent'],
  ['store.', 'each laptop keeps its own store and archives'],
  ['health.', 'each laptop shows its own health'],
  ['config.', 'each laptop has its own settings'],
  ['live.', 'laptops send in batches, not live'],
  ['transcripts.', 'transcripts are read on each laptop'],
]

/** Returns why a team's history cannot answer an operation; undefined if it may. */
export const teamCannot = (name: string): string | undefined => REASONS.find(([start]) => name.startsWith(start))?.[1]
