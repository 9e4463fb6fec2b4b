import { Argument, Option } from 'commander'
import type { Command } from 'commander'
import { flagsOf, settings, withCommon, withJson } from './flags.ts'

const DATABASE = ['--database <url>', 'PostgreSQL of the team (default: ASPY_TEAM_DATABASE)'] as const
const POLICIES = ['off', 'metadata', 'full']
const ROLES = ['member', 'reader', 'admin']

interface TeamFlags {
  readonly database?: string
  readonly json?: boolean
}

/** Adds `aspy team` and its subcommands: those of the administrator, then those of a member. */
export function addTeamCommand(program: Command): void {
  const team = program
    .command('team')
    .description("Share this history with a team's server, or run that server")
    .helpOption('-h, --help', 'Show help')
    .enablePositionalOptions()
  addSchemaCommands(team)
  addServerCommands(team)
  addAdminCommands(team)
  addMemberCommands(team)
}

function addSchemaCommands(team: Command): void {
  for (const [mode, text] of [
    ['init', "Create a team's store in an empty PostgreSQL database"],
    ['upgrade', "Bring a team's store to this version, and add partitions"],
  ] as const)
    admin(team, mode, text)
      .option('--dry-run', 'Try everything in a transaction, roll it back, and print the statements')
      .option('--server-role <role>', 'Database role of aspy team serve, if it is not the owner')
      .action(async (_flags, self: Command) => {
        const { changeTeamSchema } = await import('./commands/team/schema.ts')
        await changeTeamSchema(mode, flagsOf<TeamFlags & { dryRun?: boolean; serverRole?: string }>(self))
      })
}

function addServerCommands(team: Command): void {
  admin(team, 'serve', "Run a team's server")
    .option('--listen <host:port>', 'Address to listen on (default: 127.0.0.1:2781); port 0 picks a free one')
    .option('--cert <file>', 'Certificate chain, PEM')
    .option('--key <file>', 'Private key of the certificate, PEM')
    .option('--behind-proxy', 'Serve plain HTTP on an address other than loopback: a proxy in front ends TLS')
    .action(async (_flags, self: Command) => {
      const { serveTeam } = await import('./commands/team/serve.ts')
      await serveTeam(flagsOf(self))
    })
}

function addAdminCommands(team: Command): void {
  admin(team, 'invite', 'Print a one-time code for a new device of a member')
    .argument('<name>', 'Name of the member')
    .addOption(new Option('--role <role>', 'Role of a new member (default: member)').choices(ROLES))
    .action(async (name: string, _flags, self: Command) => {
      const { inviteMember } = await import('./commands/team/admin.ts')
      await inviteMember(name, flagsOf(self))
    })
  admin(team, 'members', 'List members and their devices').action(async (_flags, self: Command) => {
    const { showMembers } = await import('./commands/team/admin.ts')
    await showMembers(flagsOf(self))
  })
  admin(team, 'role', 'Change the role of a member')
    .argument('<name>', 'Name of the member')
    .argument('<role>', 'member, reader or admin')
    .action(async (name: string, role: string, _flags, self: Command) => {
      const { changeRole } = await import('./commands/team/admin.ts')
      await changeRole(name, role, flagsOf(self))
    })
  admin(team, 'revoke', 'Revoke a device, or all devices of a member')
    .argument('<name-or-device>', 'Name of the member, or ID of a device')
    .action(async (name: string, _flags, self: Command) => {
      const { revokeDevices } = await import('./commands/team/admin.ts')
      await revokeDevices(name, flagsOf(self))
    })
  admin(team, 'sql-reader', 'Let a database role read by SQL, within row-level security')
    .argument('<role>', 'Database role')
    .option('--member <name>', 'Only what this member may read (default: everything)')
    .action(async (role: string, _flags, self: Command) => {
      const { allowReader } = await import('./commands/team/admin.ts')
      await allowReader(role, flagsOf(self))
    })
}

function addMemberCommands(team: Command): void {
  member(team, 'join', 'Join a team: exchange a code for a token of this device')
    .argument('<url>', "Address of the team's server")
    .argument('<code>', 'Code from aspy team invite')
    .option('--name <name>', 'Name of this device (default: the host name)')
    .action(async (url: string, code: string, _flags, self: Command) => {
      const { join } = await import('./commands/team/join.ts')
      await join(settings(self), url, code, flagsOf(self))
    })
  member(team, 'preview', 'Show what is sent to the team, by project')
    .option('--batches', 'Print every batch as it would be sent, one JSON object a line')
    .action(async (_flags, self: Command) => {
      const { preview } = await import('./commands/team/preview.ts')
      await preview(settings(self), flagsOf(self))
    })
  member(team, 'status', 'Show the team, the policy, and what is waiting').action(async (_flags, self: Command) => {
    const { status } = await import('./commands/team/status.ts')
    await status(settings(self), flagsOf<TeamFlags>(self).json ?? false)
  })
  member(team, 'policy', 'Set what is sent to the team, of all projects or of one')
    .addArgument(new Argument('<policy>', 'off, metadata (no texts) or full').choices(POLICIES))
    .option('--project <dir>', 'Only this project, and folders in it')
    .option('--name <name>', "With --project: the project's name in the team")
    .option('--share', 'With --project: let other members read its sessions')
    .option('--withdraw', 'If the policy gets stricter: delete from the team what it no longer allows')
    .option('--keep', 'If the policy gets stricter: keep in the team what was already sent')
    .action(async (policy: string, _flags, self: Command) => {
      const { setPolicy } = await import('./commands/team/policy.ts')
      await setPolicy(settings(self), policy, flagsOf(self))
    })
  member(team, 'exclude', 'Never send a session')
    .argument('<id>', 'Session ID')
    .option('--withdraw', 'Delete in the team what was sent of it')
    .option('--keep', 'Leave in the team what was sent of it')
    .action(async (id: string, _flags, self: Command) => {
      const { exclude } = await import('./commands/team/exclude.ts')
      await exclude(settings(self), id, flagsOf(self))
    })
  member(team, 'withdraw', 'Delete in the team what the policy no longer sends')
    .option('--yes', 'Delete without asking; required if there is no terminal')
    .action(async (_flags, self: Command) => {
      const { withdraw } = await import('./commands/team/withdraw.ts')
      await withdraw(settings(self), flagsOf(self))
    })
  member(team, 'open', "Print the link that opens the team's history in a browser").action(
    async (_flags, self: Command) => {
      const { openTeam } = await import('./commands/team/status.ts')
      await openTeam(settings(self), flagsOf<TeamFlags>(self).json ?? false)
    },
  )
  member(team, 'leave', 'Leave the team')
    .option('--withdraw', 'Delete in the team what this device sent')
    .option('--keep', 'Leave in the team what this device sent')
    .action(async (_flags, self: Command) => {
      const { leave } = await import('./commands/team/leave.ts')
      await leave(settings(self), flagsOf(self))
    })
}

function admin(team: Command, name: string, description: string): Command {
  return withJson(team.command(name).description(description))
    .option(...DATABASE)
    .helpOption('-h, --help', 'Show help')
}

function member(team: Command, name: string, description: string): Command {
  return withJson(withCommon(team.command(name).description(description)))
}
