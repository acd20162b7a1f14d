import { describe, expect, test } from 'vitest';
import { testApp } from '../server/testing/app/test-app.js';
import { ToolClient } from '../server/testing/app/tool-client.js';

describe('the prompts', () => {
  test('contain their argument', async () => {
    const app = await testApp();
    const { client } = await ToolClient.connect(app);

    const { prompts } = await client.listPrompts();
    const remember = await client.getPrompt({ name: 'remember', arguments: { what: 'Deploys are on Fridays.' } });
    const recall = await client.getPrompt({ name: 'recall', arguments: { topic: 'deploys' } });

    expect(prompts.map(({ name }) => name)).toEqual(['remember', 'recall']);
    expect(JSON.stringify(remember)).toContain('Deploys are on Fridays.');
    expect(JSON.stringify(recall)).toContain('memory_search');
  });

  test('are rejected without their argument, or with an unknown name', async () => {
    const app = await testApp();
    const { client } = await ToolClient.connect(app);

    await expect(client.getPrompt({ name: 'remember', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.getPrompt({ name: 'forget', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });
});
