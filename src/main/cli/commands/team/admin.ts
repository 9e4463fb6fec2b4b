import { AspyError } from '../../../../shared/contract/errors.ts'
import type { Role } from '../../../team/store/callers.ts'
import { assertReady } from '../../../team/store/connection.ts'
import { allowSqlReader, invite, listMembers, revoke, setRole, type MemberEntry } from '../../../team/store/members.ts'
import type { JsonFlag } from '../../flags.ts'
import { counted, table } from '../../table.ts'
import { withDatabase } from './team-database.ts'
import { print } from '../../print-all.ts'

interface AdminFlags extends JsonFlag {
  readonly database?: string
}

/** Commands of the administrator. They work on the database itself: whoever may write there decides who joins. */
const onStore = <T>(flags: AdminFlags, work: Parameters<typeof withDatabase<T>>[1]): Promise<T> =>
  withDatabase(flags.database, async (sql) => {
    await assertReady(sql)
    return work(sql)
  })

const say = (flags: AdminFlags, json: unknown, text: string): void => print({ json, text }, flags.json)

/** `aspy team invite NAME`: prints a one-time code alone on the last line. */
export async function inviteMember(name: string, flags: AdminFlags & { readonly role?: string }): Promise<void> {
  const role = flags.role === undefined ? undefined : roleOf(flags.role)
  const code = await onStore(flags, (sql) => invite(sql, name, role))
  say(
    flags,
    { name, code },
    `Code for one device of ${name}, valid for 7 days. On that device: aspy team join URL CODE\n${code}`,
  )
}

type MemberRow = Omit<MemberEntry, 'devices'> & { readonly device: MemberEntry['devices'][number] | null }

export async function showMembers(flags: AdminFlags): Promise<void> {
  const members = await onStore(flags, listMembers)
  const rows = members.flatMap(({ devices, ...member }): MemberRow[] =>
    devices.length === 0 ? [{ ...member, device: null }] : devices.map((device) => ({ ...member, device })),
  )
  const text = table(rows, {
    columns: {
      name: { name: 'Member' },
      role: { name: 'Role', of: (row) => (row.disabled ? `${row.role} (revoked)` : row.role) },
      device: { name: 'Device', of: (row) => row.device?.name },
      id: { name: 'ID', of: (row) => row.device?.id ?? '' },
      seen: { name: 'Last seen', of: (row) => row.device?.last_seen_at, format: 'moment' },
      state: {
        name: 'State',
        of: ({ device }) => (device === null ? 'invited' : device.revoked ? 'revoked' : 'active'),
      },
    },
  })
  say(flags, { items: members }, members.length === 0 ? 'No members yet. Invite one with aspy team invite NAME.' : text)
}

export async function changeRole(name: string, role: string, flags: AdminFlags): Promise<void> {
  await onStore(flags, (sql) => setRole(sql, name, roleOf(role)))
  say(flags, { name, role }, `${name} is now ${role}.`)
}

export async function revokeDevices(name: string, flags: AdminFlags): Promise<void> {
  const devices = await onStore(flags, (sql) => revoke(sql, name))
  say(flags, { name, devices }, `Revoked ${counted(devices, 'device')} of ${name}.`)
}

export async function allowReader(role: string, flags: AdminFlags & { readonly member?: string }): Promise<void> {
  await onStore(flags, (sql) => allowSqlReader(sql, role, flags.member ?? null))
  const what = flags.member === undefined ? 'everything' : `what ${flags.member} may read`
  say(flags, { role, member: flags.member ?? null }, `The database role ${role} may read ${what}.`)
}

function roleOf(text: string): Role {
  if (text === 'member' || text === 'reader' || text === 'admin') return text
  throw new AspyError('bad_input', 'a role is member, reader or admin')
}
