import { createHash, randomBytes } from 'node:crypto'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { Caller, Role } from './callers.ts'
import { cleanText } from './clean-json.ts'
import type { Sql, Transaction } from './connection.ts'
import { onDatabase } from './database-error.ts'

/** Members, invitations and devices. Codes and tokens are stored as SHA-256 of 32 random bytes, never themselves. */

const INVITATION_DAYS = 7

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
/** Begins with a letter: on a command line, a code that begins with a hyphen would be taken for an option. */
const newSecret = (): string => `a${randomBytes(32).toString('base64url')}`

/** Invites a member, or another device of a known one. Returns the one-time code. Throws `conflict` if the role differs. */
export function invite(sql: Sql, name: string, role: Role | undefined): Promise<string> {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,99}$/u.test(name))
    throw new AspyError('bad_input', 'a name has 1 to 100 letters, digits, spaces or . _ @ + -')
  return onDatabase(() =>
    sql.begin(async (tx) => {
      await tx`INSERT INTO members (name, role) VALUES (${name}, ${role ?? 'member'}) ON CONFLICT DO NOTHING`
      const [member] = await tx<{ id: number; role: Role; disabled_at: Date | null }[]>`
        SELECT id, role, disabled_at FROM members WHERE name = ${name} FOR UPDATE`
      if (member === undefined) throw new AspyError('internal', 'the member was not stored')
      if (role !== undefined && role !== member.role)
        throw new AspyError('conflict', `${name} is a ${member.role}; change that with aspy team role ${name} ${role}`)
      if (member.disabled_at !== null) await tx`UPDATE members SET disabled_at = NULL WHERE id = ${member.id}`
      const code = newSecret()
      await tx`INSERT INTO invitations (code_hash, member_id, expires_at)
        VALUES (${hashSecret(code)}, ${member.id}, now() + make_interval(days => ${INVITATION_DAYS}))`
      return code
    }),
  )
}

/** Exchanges a code for a device. Throws `unauthorized` if the code is wrong, used or expired. */
export function join(sql: Sql, code: string, deviceName: string): Promise<Caller & { readonly deviceToken: string }> {
  return onDatabase(() =>
    sql.begin(async (tx) => {
      const [used] = await tx<{ member_id: number }[]>`UPDATE invitations SET used_at = now()
        WHERE code_hash = ${hashSecret(code)} AND used_at IS NULL AND expires_at > now() RETURNING member_id`
      if (used === undefined)
        throw new AspyError('unauthorized', 'the code is wrong, used or expired; ask for another with aspy team invite')
      const deviceToken = newSecret()
      const [device] = await tx<{ id: string; name: string; role: Role }[]>`WITH d AS (
          INSERT INTO devices (member_id, name, token_hash, last_seen_at)
          SELECT m.id, ${cleanText(deviceName).slice(0, 100)}::text, ${hashSecret(deviceToken)}::bytea, now() FROM members m
          WHERE m.id = ${used.member_id} AND m.disabled_at IS NULL RETURNING id, member_id)
        SELECT d.id, m.name, m.role FROM d JOIN members m ON m.id = d.member_id`
      if (device === undefined) throw new AspyError('unauthorized', 'this member is disabled')
      return { memberId: used.member_id, member: device.name, role: device.role, deviceId: device.id, deviceToken }
    }),
  )
}

/** Revokes a device by id, or all devices of a member and the member. Returns how many devices. Throws `not_found`. */
export function revoke(sql: Sql, memberOrDevice: string): Promise<number> {
  return onDatabase(() =>
    sql.begin(async (tx) => {
      const devices =
        await tx`UPDATE devices SET revoked_at = now() WHERE revoked_at IS NULL AND (id::text = ${memberOrDevice}
        OR member_id = (SELECT id FROM members WHERE name = ${memberOrDevice})) RETURNING id`
      const members = await tx`UPDATE members SET disabled_at = now() WHERE name = ${memberOrDevice} RETURNING id`
      if (members.length > 0)
        await tx`UPDATE invitations SET expires_at = now() WHERE used_at IS NULL AND member_id IN (
          SELECT id FROM members WHERE name = ${memberOrDevice})`
      if (devices.length + members.length === 0)
        throw new AspyError(
          'not_found',
          `there is no member or device ${memberOrDevice}; list them with aspy team members`,
        )
      return devices.length
    }),
  )
}

/** Changes a member's role. Throws `not_found`. */
export const setRole = (sql: Sql, name: string, role: Role): Promise<void> =>
  onDatabase(async () => {
    const changed = await sql`UPDATE members SET role = ${role} WHERE name = ${name} RETURNING id`
    if (changed.length === 0) throw new AspyError('not_found', `there is no member ${name}`)
  })

/** A member with its devices, for admins. */
export interface MemberEntry {
  readonly name: string
  readonly role: Role
  readonly disabled: boolean
  readonly devices: readonly {
    readonly id: string
    readonly name: string
    readonly last_seen_at: string | null
    readonly revoked: boolean
  }[]
}

export function listMembers(sql: Sql): Promise<readonly MemberEntry[]> {
  return onDatabase(
    async () => sql<MemberEntry[]>`SELECT m.name, m.role, m.disabled_at IS NOT NULL AS disabled,
      coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name, 'last_seen_at', d.last_seen_at,
        'revoked', d.revoked_at IS NOT NULL) ORDER BY d.created_at) FILTER (WHERE d.id IS NOT NULL), '[]') AS devices
      FROM members m LEFT JOIN devices d ON d.member_id = m.id GROUP BY m.id ORDER BY m.name`,
  )
}

/** The tables and functions that SQL readers may use; row-level security limits the rows. */
const READABLE = ['events', 'contents', 'event_contents', 'sessions', 'usage_daily', 'texts', 'session_events']

/** Lets a database role read by SQL: everything, or the data that a member may read. Throws `not_found`. */
export function allowSqlReader(sql: Sql, role: string, member: string | null): Promise<void> {
  return onDatabase(async () => {
    await sql.begin(async (tx) => {
      const [known] = await tx`SELECT 1 FROM pg_roles WHERE rolname = ${role}`
      if (known === undefined)
        throw new AspyError('not_found', `the database has no role ${role}; create it with createuser`)
      const memberId = member === null ? null : await memberIdOf(tx, member)
      await tx`INSERT INTO sql_readers (role_name, member_id, sees_all) VALUES (${role}, ${memberId}, ${member === null})
        ON CONFLICT (role_name) DO UPDATE SET member_id = excluded.member_id, sees_all = excluded.sees_all`
      for (const table of READABLE) await tx`GRANT SELECT ON ${tx(table)} TO ${tx(role)}`
    })
  })
}

async function memberIdOf(tx: Transaction, name: string): Promise<number> {
  const [member] = await tx<{ id: number }[]>`SELECT id FROM members WHERE name = ${name}`
  if (member === undefined) throw new AspyError('not_found', `there is no member ${name}`)
  return member.id
}
