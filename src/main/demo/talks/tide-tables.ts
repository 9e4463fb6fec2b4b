import { talk, type Talk } from './talk.ts'

/** Talks about a service that predicts tides. */
export const TIDE_TABLES: readonly Talk[] = [
  talk(
    'tides/harmonics/solver.py',
    'fit_constituents',
    [
      'The forecast for Saint-Malo is off by one hour in winter. Can you find out why?',
      'The observations are in local time, and the solver treats them as UTC. In summer the error cancels because the training data were summer only. In winter it is one hour.',
      'The gauge of Saint-Malo reports local time and we read it as UTC. The training data were from one summer, so the phase had absorbed two hours and winter was wrong by one. Times are now converted **when they are read**, and the constituents are fitted again.',
    ],
    [
      'Which other stations report local time?',
      'The metadata has a field time_zone; 14 of 212 stations have something other than UTC.',
      'Fourteen of 212: all French ports, Jersey and Guernsey. A test now fails if a station without a time zone is added.',
    ],
  ),
  talk(
    'tides/stations/import_gauges.py',
    'read_gauge_file',
    [
      'The import of the Norwegian gauges stops at the first bad line. It should go on and report what it left out.',
      'One corrupt line should not lose a year. Collect rejected lines with their number and reason, and fail only if more than one per cent is bad.',
      'It goes on now and prints what was left out, with line and reason. If more than **1%** of a file is bad the whole file is refused, because then the format has changed. For Bergen: 3 of 52,560 lines.',
    ],
    [
      'Should missing hours be interpolated?',
      'No: the solver handles gaps; invented values would bias the fit.',
      'No. The fit copes with gaps, and invented hours would pull it towards themselves. Gaps stay gaps, and the station’s page shows how many hours are missing.',
    ],
  ),
  talk(
    'tides/api/routes.py',
    'get_forecast',
    [
      'GET /forecast takes two seconds for a year of data. Profile it.',
      'cProfile: 1.6 s in datetime.isoformat and JSON. The tide itself takes 90 ms with numpy.',
      'The tides take 90 ms. The rest is formatting 52,560 dates one by one. With one numpy call for the dates and `orjson` for the answer it takes **210 ms**.',
    ],
    [
      'Can we cache it?',
      'The forecast for a past version of constituents never changes. Key: station, year, version of constituents. ETag.',
      'Yes: it depends on station, year and the version of the constituents, and on nothing else. That is the ETag now, and the CDN may keep it for a month. No cache of our own.',
    ],
  ),
  talk(
    'tides/harmonics/datum.py',
    'shift_datum',
    [
      'A user says our low tides are 30 cm too high in Liverpool. Is that us or the chart?',
      'Chart datum in the UK is roughly lowest astronomical tide; ours is relative to ordnance datum for this one station. The difference at Liverpool is 4.93 m, so it is not that. 30 cm is the difference between LAT and the old chart datum of 1987.',
      'It is us: the station’s offset is from the chart of **1987**. The chart datum was lowered by 0.29 m since. I took the current offsets from the hydrographic office’s list, and six more stations changed by 2 to 11 cm.',
    ],
    [
      'How do we notice the next change?',
      'The list has a version date. Compare monthly in CI.',
      'A monthly job compares our offsets with the published list and opens an issue with the differences. It changes nothing by itself: a wrong datum can put a boat on the ground.',
    ],
  ),
  talk(
    'tides/api/almanac.py',
    'moon_phase',
    [
      'Spring tides in the almanac are two days after full moon. Users think that is a bug. Is it?',
      'The age of the tide: springs lag the moon by one to two days in the Atlantic. Correct. It should be explained in the UI.',
      'It is right. The sea answers late: around the Atlantic springs come one to two days after full and new moon, the *age of the tide*. I added a line to the almanac that says so, with the lag of the chosen station.',
    ],
    [
      'Put the moon icon on the day of the moon or on the day of the spring tide?',
      'The icon means the moon. Put a separate mark for springs.',
      'On the day of the moon: that is what people compare with the sky. Springs have a mark of their own now.',
    ],
  ),
  talk(
    'scripts/backfill.py',
    'backfill_year',
    [
      'The backfill filled the disk last night. How do we keep that from happening?',
      'It writes one CSV per station and day into /tmp and deletes at the end. 212 × 365 files. Stream into the database instead.',
      'It wrote 77,000 files to `/tmp` and deleted them at the very end. It now streams each station into the database in one transaction and needs 40 MB. Before it starts it checks for **2 GB** of free space and says so if there is less.',
    ],
    [
      'And if it dies in the middle?',
      'One transaction per station: rerun skips stations with a finished mark.',
      'Each station is one transaction with a mark at its end. Run it again, and it goes on with the first station that has none.',
    ],
  ),
  talk(
    'tests/test_interpolation.py',
    'interpolate_heights',
    [
      'test_interpolation passes alone and fails in the suite. Fix it, please.',
      'The suite sets the locale to de_DE in test_formats and never sets it back. Then float("1,5")... no, the failing part is strftime. A fixture with monkeypatch fixes it.',
      '`test_formats` sets the locale to German and leaves it there, so month names in the other test are German. The locale is now set by a fixture that puts it back. I ran the suite ten times in random order: green.',
    ],
    [
      'Make random order the default.',
      'pytest-randomly is small and maintained.',
      'Done: `pytest-randomly` is in the dev requirements, and the seed is printed so that a failure can be repeated. It found one more test that leaned on another, which is fixed.',
    ],
  ),
  talk(
    'tides/stations/registry.py',
    'nearest_station',
    [
      'The nearest station for Plymouth is one in France. Distance is computed in degrees, I suppose?',
      'Yes: sqrt of squared differences in degrees. At 50° north a degree of longitude is 71 km. Use haversine, and land between matters: a station across the Channel may be nearer but useless.',
      'Yes, in degrees, which stretches east and west by half at that latitude. With the great circle Devonport is nearest. I also prefer stations **of the same coast**: within 50 km the one with the same sea region wins.',
    ],
    [
      'Where do the regions come from?',
      'IHO sea areas; a small table of polygons simplified to 5 km.',
      'From the sea areas of the hydrographic organization, simplified to 5 km: 38 KB in the package. Stations near a border have both regions.',
    ],
  ),
]
