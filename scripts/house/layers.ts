import type { Import } from './imports.ts'

/**
 * Who may import whom. A room is a folder (or, at the root of `src/main`, a file); the longest path that matches names
 * a file's room. A room may import itself and the rooms listed next to it, types included, but nothing else. Read from
 * the bottom up, the table is the order in which the code can be understood.
 */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'src/shared': [],
  'src/preload': ['src/shared'],

  // The window: app → features → components → lib.
  'src/renderer/styles': [],
  'src/renderer/lib': renderer(''),
  'src/renderer/components': renderer('lib'),
  'src/renderer/features/*': renderer('lib components'),
  'src/renderer/app': renderer('lib components features/* styles'),

  // The main process, from what knows nothing of the rest to what knows all of it.
  'src/main/base': main(''),
  'src/main/config': main('base'),
  'src/main/proxy/protocol': main(''),
  'src/main/proxy': main('base proxy/protocol'),
  'src/main/tunnel': main('base proxy proxy/protocol'),
  'src/main/keeper': main('base proxy tunnel'),
  'src/main/decode': main('proxy/protocol'),
  'src/main/redaction': main('base decode proxy/protocol'),
  'src/main/requests': main('base'),
  'src/main/ledger': main(''),
  'src/main/files': main(''),
  'src/main/listings': main('base'),
  'src/main/guard': main(''),
  'src/main/guard/host': main('base guard proxy proxy/protocol'),
  'src/main/guard/thread': main('base decode guard proxy/protocol requests store'),
  'src/main/pipeline': main('base decode redaction'),
  'src/main/store': main('base decode files ledger listings proxy/protocol redaction requests'),
  'src/main/recall': main('base store'),
  'src/main/advice': main('base ledger store'),
  'src/main/team/protocol': main('base'),
  'src/main/team/device': main('base team/protocol'),
  'src/main/team/store': main('base ledger listings recall team/protocol'),
  'src/main/team/server': main('dispatch recall surfaces team/protocol team/store'),
  'src/main/sinks': main('base'),
  'src/main/sinks/team': main('store team/protocol'),
  'src/main/sinks/recorder': main('base redaction sinks store'),
  'src/main/sinks/thread': main('pipeline sinks sinks/team store team/device team/protocol'),
  'src/main/recorder': main(
    'base decode dispatch pipeline proxy/protocol redaction requests sinks sinks/recorder store',
  ),
  'src/main/recorder/host': main('base proxy proxy/protocol recorder sinks'),
  'src/main/sinks/host': main('base recorder/host sinks'),
  'src/main/transcripts': main('base decode pipeline recorder redaction store'),
  'src/main/transcripts/host': main('base recorder/host transcripts'),
  'src/main/live': main(''),
  'src/main/notices': main(''),
  'src/main/budgets': main(''),
  'src/main/login-service': main(''),
  'src/main/dispatch': main('base store'),
  'src/main/file-watch': main(''),
  'src/main/file-watch/host': main('base dispatch file-watch'),
  'src/main/file-watch/thread': main('file-watch files'),
  'src/main/health': main('base dispatch keeper proxy recorder/host'),
  'src/main/operations': main('advice decode dispatch files ledger listings recall requests store transcripts'),
  'src/main/readers': main('base dispatch files operations store'),
  'src/main/session-page': main('base store'),
  'src/main/clients': main('base config dispatch login-service store'),
  'src/main/operations/main': main(
    'advice clients config dispatch file-watch/host files guard/host live notices pipeline recorder/host session-page team/device team/protocol transcripts/host tunnel',
  ),
  'src/main/surfaces': main('base dispatch'),
  'src/main/grants.ts': main('base dispatch'),
  'src/main/demo': main('base decode proxy recorder/host transcripts'),
  'src/main/app-operations.ts': main(
    'base budgets clients config dispatch file-watch/host guard/host health keeper live notices operations/main proxy recorder/host sinks/host store transcripts/host tunnel',
  ),
  'src/main/app-types.ts': main('clients config dispatch keeper recorder/host'),
  'src/main/app-traffic.ts': main('base guard/host keeper proxy recorder/host tunnel'),
  'src/main/app.ts': main(
    'app-operations.ts app-traffic.ts app-types.ts base budgets config demo dispatch grants.ts guard/host live proxy readers recorder/host ' +
      'sinks/host surfaces transcripts transcripts/host tunnel',
  ),
  'src/main/leave-when-idle.ts': main('app.ts'),
  'src/main/cli': main(
    'app.ts base budgets clients config dispatch files keeper leave-when-idle.ts login-service operations/main pipeline readers session-page sinks sinks/team store surfaces ' +
      'team/device team/protocol team/server team/store',
  ),
  'src/main/electron': main('app.ts base config dispatch keeper leave-when-idle.ts surfaces'),
  'src/main/index.ts': main('electron'),
}

function main(rooms: string): readonly string[] {
  return ['src/shared', ...inFolder('src/main', rooms)]
}

function renderer(rooms: string): readonly string[] {
  return ['src/shared', ...inFolder('src/renderer', rooms)]
}

function inFolder(folder: string, rooms: string): readonly string[] {
  return rooms === '' ? [] : rooms.split(' ').map((room) => `${folder}/${room}`)
}

/**
 * Returns the room of a file, or null for a file outside of every room. Each folder of `features/*` is a separate room.
 */
export function roomOf(path: string): string | null {
  const feature = /^src\/renderer\/features\/[^/]+/.exec(path)?.[0]
  if (feature !== undefined) return feature
  const rooms = Object.keys(LAYERS).filter((room) => path === room || path.startsWith(`${room}/`))
  return rooms.sort((one, other) => other.length - one.length)[0] ?? null
}

/** Returns a line for each import that the table does not allow, with the file, the line and its allowed imports. */
export function forbiddenImports(imports: readonly Import[]): readonly string[] {
  return imports.flatMap(({ from, to, line }) => {
    const [room, target] = [roomOf(from), roomOf(to)]
    if (room === null) return [`${from}:${line} has no row: name its folder in scripts/house/layers.ts`]
    if (to.startsWith('resources/')) return []
    if (room === target) return []
    const allowed = LAYERS[row(room)] ?? []
    if (target !== null && allowed.includes(row(target))) return []
    return [`${from}:${line} imports ${to}; ${room} may import ${allowed.join(', ') || 'nothing of ours'}`]
  })
}

function row(room: string): string {
  return room.startsWith('src/renderer/features/') ? 'src/renderer/features/*' : room
}

/** Returns the lines of the table that no import needs any more: a table that allows more than it must stops nothing. */
export function unusedAllowances(imports: readonly Import[]): readonly string[] {
  const used = new Set(imports.map(({ from, to }) => `${row(roomOf(from) ?? '')} → ${row(roomOf(to) ?? '')}`))
  return Object.entries(LAYERS)
    .flatMap(([room, allowed]) => allowed.map((other) => `${room} → ${other}`))
    .filter((line) => !line.endsWith(' → src/shared') && !used.has(line))
}
