import type { Sql } from './connection.ts'

/** A member's permissions: a member can read their own and shared sessions; readers and admins can read everything. */
export type Role = 'member' | 'reader' | 'admin'

/** The device behind a request, and its member. */
export interface Caller {
  readonly memberId: number
  readonly member: string
  readonly role: Role
  readonly deviceId: string
}

/** The store's identity and keys. */
export interface TeamIdentity {
  readonly id: string
  readonly schemaVersion: number
  readonly hashKey: Buffer
  readonly tokenKey: Buffer
}

export async function readTeam(sql: Sql): Promise<TeamIdentity> {
  const [row] = await sql<
    { id: string; schema_version: number; hash_key: Buffer; token_key: Buffer }[]
  >`SELECT id, schema_version, hash_key, token_key FROM team`
  if (row === undefined) throw new Error('the table team is empty')
  return { id: row.id, schemaVersion: row.schema_version, hashKey: row.hash_key, tokenKey: row.token_key }
}

interface CallerRow {
  readonly member_id: number
  readonly name: string
  readonly role: Role
  readonly device_id: string
}

const toCaller = (row: CallerRow): Caller => ({
  memberId: row.member_id,
  member: row.name,
  role: row.role,
  deviceId: row.device_id,
})

/** Returns the caller of a device that is neither revoked nor of a disabled member; null otherwise. */
export async function callerOfDevice(sql: Sql, deviceId: string): Promise<Caller | null> {
  const [row] = await sql<CallerRow[]>`SELECT d.id AS device_id, m.id AS member_id, m.name, m.role FROM devices d
    JOIN members m ON m.id = d.member_id WHERE d.id = ${deviceId} AND d.revoked_at IS NULL AND m.disabled_at IS NULL`
  return row === undefined ? null : toCaller(row)
}

/** Returns the caller of a device token by its hash; null if it is unknown or revoked. */
export async function callerOfToken(sql: Sql, tokenHash: Buffer): Promise<Caller | null> {
  const [row] = await sql<CallerRow[]>`SELECT d.id AS device_id, m.id AS member_id, m.name, m.role FROM devices d
    JOIN members m ON m.id = d.member_id WHERE d.token_hash = ${tokenHash} AND d.revoked_at IS NULL AND m.disabled_at IS NULL`
  return row === undefined ? null : toCaller(row)
}
