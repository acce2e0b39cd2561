# Runs inside Godot 3 (godot3-server -s): plays every animation of a pack and prints one line of JSON for each scene.
extends SceneTree

var seen = []


func _on_foot_event(event):
	seen.append(event)


func _init():
	for name in OS.get_environment("FRESHTAKE_SCENES").split(","):
		var scene = load("res://pack/" + name + ".glb").instance()
		get_root().add_child(scene)
		scene.connect("foot_event", self, "_on_foot_event")
		var player = scene.find_node("AnimationPlayer", true, false)
		var tree = scene.find_node("FreshtakeTree", true, false)
		var found = {"scene": name, "root_motion_track": str(tree.root_motion_track), "animations": {}}
		for animation in player.get_animation_list():
			found["animations"][animation] = _played(scene, player, tree, animation)
		found["space"] = tree.tree_root.get_blend_point_count()
		print("FOUND " + JSON.print(found))
	quit()


func _played(scene, player, tree, name):
	var animation = player.get_animation(name)
	var node = AnimationNodeAnimation.new()
	node.animation = name
	var graph = AnimationNodeBlendTree.new()
	graph.add_node("clip", node)
	graph.connect_node("output", 0, "clip")
	var kept = tree.tree_root
	tree.tree_root = graph
	tree.process_mode = AnimationTree.ANIMATION_PROCESS_MANUAL
	tree.active = true
	seen = []
	var place = Vector3()
	var off = 0.0
	var steps = 240
	tree.advance(0.0)
	for step in range(steps):
		tree.advance(2.0 * animation.length / steps)
		place += tree.get_root_motion_transform().origin
		off = max(off, abs(place.x))
	tree.active = false
	tree.tree_root = kept
	# The tree calls methods later, so events are heard from the player.
	player.method_call_mode = AnimationPlayer.ANIMATION_METHOD_CALL_IMMEDIATE
	player.playback_process_mode = AnimationPlayer.ANIMATION_PROCESS_MANUAL
	player.play(name)
	for step in range(steps):
		player.advance(0.999 * animation.length / steps)
	player.stop()
	var events = 0
	for track in range(animation.get_track_count()):
		if animation.track_get_type(track) == Animation.TYPE_METHOD:
			events += animation.track_get_key_count(track)
	var track = animation.find_track(tree.root_motion_track)
	var start = animation.track_get_key_value(track, 0)["location"]
	return {
		"loop": animation.loop,
		"length": animation.length,
		"keys": animation.track_get_key_count(track),
		"start": [start.x, start.y, start.z],
		"way": [place.x, place.y, place.z],
		"sideways": off,
		"events": events,
		"heard": seen,
	}
