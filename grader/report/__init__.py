"""What an interview comes to: the report as data, and the replay of its snapshots. Renderers are in `grader.render`."""
