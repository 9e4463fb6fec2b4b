import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PostgresServer } from './postgres-server.ts'

/** A disk of a few MB that holds a server's databases and can be filled. */
export interface SmallDisk extends AsyncDisposable {
  /** `tmpfs`: a real file system. `trigger`: where none can be mounted, a write to `events` fails as on a full disk. */
  readonly kind: 'tmpfs' | 'trigger'
  /** Puts databases that are created from now on on the disk. */
  hold(postgres: PostgresServer): Promise<void>
  /** Leaves this many bytes of the disk free. */
  fill(leave: number): Promise<void>
  /** Gives the space back. */
  free(): Promise<void>
}

const SIZE_MB = 160

export function makeSmallDisk(database: string): SmallDisk {
  const folder = mkdtempSync('/tmp/aspy-small-disk-')
  const isMounted = tryMount(folder)
  const ballast = join(folder, 'ballast')
  let server: PostgresServer | null = null
  const sql = async (text: string) => void (await server?.psql(database, text))
  return {
    kind: isMounted ? 'tmpfs' : 'trigger',
    async hold(postgres) {
      server = postgres
      if (!isMounted) return
      await postgres.psql('postgres', `CREATE TABLESPACE small LOCATION '${folder}'`)
      await postgres.psql('postgres', 'ALTER DATABASE template1 SET TABLESPACE small')
    },
    async fill(leave) {
      if (!isMounted)
        return sql(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
          CREATE TRIGGER full_disk BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION full_disk()`)
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leave)))
    },
    async free() {
      if (isMounted) rmSync(ballast)
      else await sql('DROP TRIGGER full_disk ON events')
    },
    async [Symbol.asyncDispose]() {
      if (isMounted) execFileSync('umount', [folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Mounts a file system in memory for PostgreSQL's user. Returns false if that is not allowed, as in most containers. */
function tryMount(folder: string): boolean {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') return false
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=700`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return false
  }
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  chownSync(folder, id('-u'), id('-g'))
  return true
}
