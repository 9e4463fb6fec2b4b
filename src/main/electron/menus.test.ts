import type { MenuItemConstructorOptions } from 'electron'
import { expect, test } from 'vitest'
import { applicationMenu } from './application-menu.ts'
import { STARTING, type DesktopStatus } from './status-watch.ts'
import { trayMenu, trayTooltip, type MenuActions } from './tray-menu.ts'

function recording() {
  const done: string[] = []
  const actions: MenuActions = {
    open: (address) => void done.push(`open ${address ?? ''}`),
    recall: () => void done.push('recall'),
    quit: () => void done.push('quit'),
    update: () => void done.push('update'),
    decide: (id, decision) => void done.push(`${decision} ${id}`),
  }
  return { done, actions }
}
const extras = { shortcut: 'Alt+R', shortcutFault: null, update: null }
const labels = (menu: readonly MenuItemConstructorOptions[]) => menu.map(({ label }) => label).filter(Boolean)
const flat = (menu: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
  menu.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? flat(item.submenu) : [])])
/** Click handlers of our own menus take no arguments. */
const click = (menu: readonly MenuItemConstructorOptions[], label: string) =>
  (flat(menu).find((item) => item.label === label)?.click as (() => void) | undefined)?.()

test('the tray shows the status and the actions', () => {
  const { done, actions } = recording()
  const status = {
    capture: 'capturing',
    trouble: null,
    sessions: 2,
    clients: 1,
    costTodayUsd: 4.237,
    held: [],
    waits: 0,
  } as const
  const menu = trayMenu(status, extras, actions)
  expect(labels(menu)).toEqual([
    'Capturing',
    '2 sessions active',
    'Cost today: $4.24',
    'Recall…',
    'Open Aspy',
    'Settings',
    'Quit Aspy',
  ])
  expect(menu.slice(0, 3).every(({ enabled }) => enabled === false)).toBe(true)
  for (const label of ['Recall…', 'Open Aspy', 'Settings', 'Quit Aspy']) click(menu, label)
  expect(done).toEqual(['recall', 'open ', 'open /settings', 'quit'])
  expect(trayTooltip(status)).toBe('Aspy · Capturing · 2 active · $4.24 today')
  // The menu only displays the shortcut; it is registered elsewhere.
  expect(flat(menu).find(({ label }) => label === 'Recall…')).toMatchObject({
    accelerator: 'Alt+R',
    registerAccelerator: false,
  })
})

test('the tray says what a restart waits for', () => {
  const lines = (waits: number) => labels(trayMenu({ ...STARTING, waits }, extras, recording().actions))
  expect([lines(1), lines(2)]).toEqual([
    expect.arrayContaining(['Waits for 1 request or tunnel to end']),
    expect.arrayContaining(['Waits for 2 requests or tunnels to end']),
  ])
})

test('the tray shows a problem, a shortcut that does not work, and an update that is ready', () => {
  const { done, actions } = recording()
  const status = { ...STARTING, capture: 'failing', trouble: 'Events wait on disk.', sessions: 1 } as const
  const menu = trayMenu(status, { shortcut: 'Alt+R', shortcutFault: 'Alt+R is taken', update: '1.2.3' }, actions)
  expect(labels(menu)).toEqual([
    'Recording has problems',
    'Events wait on disk.',
    '1 session active',
    'Cost today: unknown',
    'Recall…',
    'Alt+R is taken',
    'Open Aspy',
    'Settings',
    'Restart to update to 1.2.3',
    'Quit Aspy',
  ])
  click(menu, 'Events wait on disk.')
  click(menu, 'Restart to update to 1.2.3')
  expect(done).toEqual(['open /health', 'update'])
  expect(flat(menu).find(({ label }) => label === 'Recall…')).not.toHaveProperty('accelerator')
})

test('the tray lists the requests that wait first, each with its decisions', () => {
  const { done, actions } = recording()
  const held = Array.from({ length: 6 }, (_, at) => ({
    id: `r${at}`,
    session_id: 's',
    agent_id: null,
    project: at === 0 ? '/home/ada/engine' : null,
    spent_usd: 1,
    over: { cap: at === 1 ? 'unpriced' : 'day_usd', scope: '', limit: 1, used: 1, guess: 1 },
    held_since: '',
    refused_at: '',
  })) as DesktopStatus['held']
  const menu = trayMenu({ ...STARTING, held }, extras, actions)
  expect(labels(menu).slice(0, 4)).toEqual([
    '6 requests wait for your decision',
    'engine: day_usd',
    'No project: unpriced',
    'No project: day_usd',
  ])
  expect(menu.filter(({ submenu }) => submenu !== undefined)).toHaveLength(5)
  expect(labels(menu[1]?.submenu as MenuItemConstructorOptions[])).toEqual(['Allow once', 'Raise the cap', 'Stop'])
  expect(labels(menu[2]?.submenu as MenuItemConstructorOptions[])).toEqual(['Allow once', 'Stop'])
  click(menu, '6 requests wait for your decision')
  for (const label of ['Allow once', 'Raise the cap', 'Stop']) click(menu, label)
  expect(done).toEqual(['open ', 'once r0', 'raise r0', 'stop r0'])
  expect(trayTooltip({ ...STARTING, held: held.slice(0, 1) })).toContain('1 request waits for your decision')
})

test.each(['darwin', 'win32', 'linux'] as const)(
  'the menu on %s follows the conventions of the platform',
  (platform) => {
    const { done, actions } = recording()
    const menu = applicationMenu(platform, { isPackaged: true }, actions)
    const isMac = platform === 'darwin'
    expect(menu[0]?.label).toBe(isMac ? 'Aspy' : '&File')
    const own = Array.isArray(menu[0]?.submenu) ? menu[0].submenu : []
    expect(labels(own)).toContain(isMac ? 'Settings…' : 'Settings')
    expect(own.some(({ role }) => role === (isMac ? 'hide' : 'close'))).toBe(true)
    expect(own.at(-1)).toMatchObject({
      label: platform === 'win32' ? 'Exit' : 'Quit Aspy',
      accelerator: 'CommandOrControl+Q',
    })
    expect(menu.some(({ role }) => role === 'editMenu')).toBe(true)
    expect(menu.some(({ role }) => role === 'windowMenu')).toBe(true)
    // A built-in role would quit without asking.
    expect(flat(menu).some(({ role }) => role === 'quit' || role === 'appMenu' || role === 'fileMenu')).toBe(false)
    expect(flat(menu).some(({ role }) => role === 'toggleDevTools')).toBe(false)
    click(menu, 'Costs')
    click(menu, platform === 'win32' ? 'Exit' : 'Quit Aspy')
    expect(done).toEqual(['open /costs', 'quit'])
  },
)

test('a build that is not packaged has developer tools in its menu', () => {
  const menu = applicationMenu('linux', { isPackaged: false }, recording().actions)
  expect(flat(menu).some(({ role }) => role === 'toggleDevTools')).toBe(true)
})
