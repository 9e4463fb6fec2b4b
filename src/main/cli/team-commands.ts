import { Argument, Option } from 'commander'
import type { SchemaFlags } from './commands/team/schema.ts'
import type { ExampleCommand } from './example-command.ts'
import type { RunSettings } from './settings-of-run.ts'
import { withCommon, withFlags, withJson, withSettings } from './flags.ts'

const DATABASE = ['--database <url>', "The team's PostgreSQL (default: ASPY_TEAM_DATABASE)"] as const
const POLICIES = ['off', 'metadata', 'full']
const ROLES = ['member', 'reader', 'admin']

/** Adds `aspy team` and its subcommands: those of the administrator, then those of a member. */
export function addTeamCommand(program: ExampleCommand): void {
  const team = withCommon(
    program.shown('aspy team status', "Share this history with a team's server, or run that server"),
  ).enablePositionalOptions()
  addSchemaCommands(team)
  addServerCommands(team)
  addAdminCommands(team)
  addMemberCommands(team)
}

function addSchemaCommands(team: ExampleCommand): void {
  for (const [mode, text] of [
    ['init', "Create a team's store in an empty PostgreSQL database"],
    ['upgrade', "Bring a team's store to this version, and add partitions"],
  ] as const)
    admin(team, `aspy team ${mode} --dry-run`, text)
      .option('--dry-run', 'Try everything in a transaction, roll it back, and print the statements')
      .option('--server-role <role>', 'Database role of aspy team serve, if it is not the owner')
      .action(
        withFlags(async () => {
          const { changeTeamSchema } = await import('./commands/team/schema.ts')
          return (flags: SchemaFlags) => changeTeamSchema(mode, flags)
        }),
      )
}

function addServerCommands(team: ExampleCommand): void {
  admin(team, 'aspy team serve --listen 0.0.0.0:2781 --cert team.pem --key team.key', "Run a team's server")
    .option('--listen <host:port>', 'Address to listen on (default: 127.0.0.1:2781); port 0 picks a free one')
    .option('--cert <file>', 'Certificate chain, PEM')
    .option('--key <file>', 'Private key of the certificate, PEM')
    .option('--behind-proxy', 'Serve plain HTTP on an address other than loopback: a proxy in front ends TLS')
    .action(withFlags(async () => (await import('./commands/team/serve.ts')).serveTeam))
}

function addAdminCommands(team: ExampleCommand): void {
  admin(team, 'aspy team invite Ada --role admin', 'Print a one-time code for a new device of a member')
    .argument('<name>', 'Name of the member')
    .addOption(new Option('--role <role>', 'Role of a new member (default: member)').choices(ROLES))
    .action(withFlags(async () => (await import('./commands/team/admin.ts')).inviteMember))
  admin(team, 'aspy team members', 'List members and their devices').action(
    withFlags(async () => (await import('./commands/team/admin.ts')).showMembers),
  )
  admin(team, 'aspy team role Ada admin', 'Change the role of a member')
    .argument('<name>', 'Name of the member')
    .argument('<role>', 'member, reader or admin')
    .action(withFlags(async () => (await import('./commands/team/admin.ts')).changeRole))
  admin(team, 'aspy team revoke Ada', 'Revoke a device, or all devices of a member')
    .argument('<name-or-device>', 'Name of the member, or ID of a device')
    .action(withFlags(async () => (await import('./commands/team/admin.ts')).revokeDevices))
  admin(team, 'aspy team sql-reader grafana --member Ada', 'Let a database role read by SQL, within row-level security')
    .argument('<role>', 'Database role')
    .option('--member <name>', 'Only what this member may read (default: everything)')
    .action(withFlags(async () => (await import('./commands/team/admin.ts')).allowReader))
}

function addMemberCommands(team: ExampleCommand): void {
  member(
    team,
    'aspy team join https://aspy.example.com 7K2M-9QXD',
    'Join a team: exchange a code for a token of this device',
  )
    .argument('<url>', "Address of the team's server")
    .argument('<code>', 'Code from aspy team invite')
    .option('--name <name>', 'Name of this device (default: the host name)')
    .action(withSettings(async () => (await import('./commands/team/join.ts')).join))
  member(team, 'aspy team preview', 'Show what is sent to the team, by project')
    .option('--batches', 'Print every batch as it would be sent, one JSON object per line')
    .action(withSettings(async () => (await import('./commands/team/preview.ts')).preview))
  member(team, 'aspy team status', 'Show the team, the policy, and what is waiting').action(
    withSettings(async () => (await import('./commands/team/status.ts')).status),
  )
  member(
    team,
    'aspy team policy metadata --project ~/work/shop',
    'Set what is sent to the team, for all projects or one',
  )
    .addArgument(new Argument('<policy>', 'off, metadata (no texts) or full').choices(POLICIES))
    .option('--project <dir>', 'Only this project, and folders in it')
    .option('--name <name>', "With --project: the project's name in the team")
    .option('--share', 'With --project: let other members read its sessions')
    .option('--withdraw', 'If the policy gets stricter: delete from the team what it no longer allows')
    .option('--keep', 'If the policy gets stricter: keep in the team what was already sent')
    .action(withSettings(async () => (await import('./commands/team/policy.ts')).setPolicy))
  for (const [name, does] of [
    ['share', "Let other members read a project's sessions"],
    ['unshare', "End other members' access to a project's sessions, at once"],
  ] as const)
    member(team, `aspy team ${name} ~/work/shop`, does)
      .argument('<dir>', 'Folder of the project')
      .action(
        withSettings(async () => {
          const { setShared } = await import('./commands/team/policy.ts')
          return (settings: RunSettings, dir: string, flags: { readonly json?: boolean }) =>
            setShared(settings, dir, name === 'share', flags)
        }),
      )
  member(team, 'aspy team exclude 5f0c2f1e --withdraw', 'Never send a session')
    .argument('<id>', 'Session ID')
    .option('--withdraw', 'Delete from the team the data sent for it')
    .option('--keep', 'Keep in the team the data sent for it')
    .action(withSettings(async () => (await import('./commands/team/exclude.ts')).exclude))
  member(team, 'aspy team withdraw', 'Delete from the team what the policy no longer sends')
    .option('--yes', 'Delete without asking; required if there is no terminal')
    .action(withSettings(async () => (await import('./commands/team/withdraw.ts')).withdraw))
  member(team, 'aspy team open', "Print the link that opens the team's history in a browser").action(
    withSettings(async () => (await import('./commands/team/status.ts')).openTeam),
  )
  member(team, 'aspy team leave --keep', 'Leave the team')
    .option('--withdraw', 'Delete from the team what this device sent')
    .option('--keep', 'Keep in the team what this device sent')
    .action(withSettings(async () => (await import('./commands/team/leave.ts')).leave))
}

const admin = (team: ExampleCommand, example: string, description: string): ExampleCommand =>
  withJson(team.shown(example, description))
    .option(...DATABASE)
    .helpOption('-h, --help', 'Show help')

const member = (team: ExampleCommand, example: string, description: string): ExampleCommand =>
  withJson(withCommon(team.shown(example, description)))
