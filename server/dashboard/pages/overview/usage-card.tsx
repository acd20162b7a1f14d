import { usePlace, useRead } from '../../data/organization.js';
import { Card } from '../../kit/display/card.js';
import { DataState } from '../../kit/feedback/data-state.js';
import { UsageMeters } from '../../kit/usage/usage-meters.js';

export function UsageCard() {
  const { href } = usePlace();
  const usage = useRead(['usage'], (client, options) => client.usage.get(options));
  return (
    <Card title="Usage" aside={<a href={href('/usage')}>By day</a>}>
      <DataState query={usage}>{(report) => <UsageMeters usage={report} />}</DataState>
    </Card>
  );
}
